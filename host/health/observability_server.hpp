/// The HTTP face of the host: health, metrics and what controllers show of themselves.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "host/health/health_checks.hpp"
#include "host/health/metrics.hpp"
#include "host/health/probe_thread.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"
#include "lib/net/http_server.hpp"

namespace davit::host {

/// Serves a controller's own page: `path` is what follows /debug/controllers/<name>/, `query` what
/// follows the question mark. The text of a 200, or kNotFound (404), or another error (500). One
/// request of a controller after the other, on a thread other than the server's, so that a page
/// which takes its time delays nothing else.
using DebugPage = std::function<Result<std::string>(std::string_view path, std::string_view query)>;

/// Routes requests to health checks, metrics and debug pages. Thread-safe.
class ObservabilityRoutes {
 public:
  /// The arguments must outlive this object. `probe_threads` provides the threads that make pages.
  ObservabilityRoutes(HealthChecks& checks, Metrics& metrics, ProbeThreads& probe_threads)
      : checks_(checks), metrics_(metrics), probe_threads_(probe_threads) {}

  /// Mounts a page below /debug/controllers/<controller>, or replaces it.
  void add_debug_page(std::string controller, DebugPage page) EXCLUDES(mutex_);
  void remove_debug_page(std::string_view controller) EXCLUDES(mutex_);

  /// The response; deferred where it needs a plugin.
  [[nodiscard]] HttpServerResponse respond(const HttpServerRequest& request) EXCLUDES(mutex_);
  /// Whether the request is for a health check: /healthz, /livez, /readyz and what is below them.
  [[nodiscard]] static bool is_health(const HttpServerRequest& request);

  /// Opens a server for these routes, which must outlive it. Health checks are its probes, which it
  /// serves no matter how many clients ask for other pages.
  [[nodiscard]] Result<std::unique_ptr<HttpServer>> serve(const HttpServerOptions& options,
                                                          const Logger& log);

 private:
  [[nodiscard]] HttpServerResponse debug(const HttpServerRequest& request) EXCLUDES(mutex_);

  struct Page {
    DebugPage text;
    std::shared_ptr<ProbeThread> thread;  // A page that replaces one that hangs has its own.
  };

  HealthChecks& checks_;
  Metrics& metrics_;
  ProbeThreads& probe_threads_;
  Mutex mutex_;
  std::map<std::string, Page, std::less<>> pages_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
