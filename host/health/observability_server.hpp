/// The HTTP face of the host: health, metrics and what controllers show of themselves.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/health/debug_response.hpp"
#include "host/health/health_checks.hpp"
#include "host/health/probe_thread.hpp"
#include "host/metrics/metrics.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"
#include "lib/net/http_server.hpp"

namespace davit::host {

/// Serves a controller's own page: `path` is what follows /debug/controllers/<name>/, `query` what
/// follows the question mark. The page, or kNotFound (404), or another error (500). One request of
/// a controller after the other, on a thread other than the server's, so that a page which takes
/// its time delays nothing else.
using DebugPage =
    std::function<Result<DebugResponse>(std::string_view path, std::string_view query)>;

/// Handles the requests for one path. Called on the server's thread, where it must neither block
/// nor throw: what takes its time is a deferred response.
using Route = std::function<HttpServerResponse(const HttpServerRequest&)>;

/// The methods that a route handles; all others get 405.
enum class RouteMethods { kRead, kAny };  ///< GET and HEAD, or all.

/// Routes requests to health checks, metrics, debug pages and the routes that others add. On the
/// HTTPS port a request reaches a route only if its user may read the path. Thread-safe.
class ObservabilityRoutes {
 public:
  /// The arguments must outlive this object. `probe_threads` provides the threads that make pages.
  ObservabilityRoutes(HealthChecks& checks, Metrics& metrics, ProbeThreads& probe_threads);

  /// Hands requests for `path` to `route`, which replaces an earlier one and must work as long as
  /// this exists. A path that ends with a slash includes all paths below it ("/debug/x/"); the
  /// root, "/", is only itself. The longest path wins. Health checks cannot be replaced.
  void add_route(std::string path, Route route, RouteMethods methods = RouteMethods::kRead)
      EXCLUDES(mutex_);

  /// Passes requests for `path` to `page`, with an empty path and their query, like for a
  /// controller's debug page: one after another, on a separate thread.
  void add_page(std::string path, DebugPage page) EXCLUDES(mutex_);

  /// Mounts a page below /debug/controllers/<controller>, or replaces it.
  void add_debug_page(std::string controller, DebugPage page) EXCLUDES(mutex_);
  void remove_debug_page(std::string_view controller) EXCLUDES(mutex_);
  /// The page of a controller as its clients get it, in the same order with them. Blocks, at most
  /// until `deadline`: not for the server's thread. kNotFound: the controller has no such page;
  /// kThrottled, kUnavailable: others wait for its pages already, or they take too long.
  [[nodiscard]] Result<std::string> debug_page(std::string_view controller, std::string_view path,
                                               Time deadline) EXCLUDES(mutex_);

  /// The first parts of the paths that are served, each once and sorted: "/debug", "/metrics".
  [[nodiscard]] std::vector<std::string> top_paths() const EXCLUDES(mutex_);

  /// The response; deferred where it needs a plugin.
  [[nodiscard]] HttpServerResponse respond(const HttpServerRequest& request) EXCLUDES(mutex_);
  /// Whether the request is for a health check: /healthz, /livez, /readyz and what is below them.
  [[nodiscard]] static bool is_health(const HttpServerRequest& request);

  /// Opens a server for these routes, which must outlive it. It serves health checks regardless of
  /// the number of clients that request other pages.
  [[nodiscard]] Result<std::unique_ptr<HttpServer>> serve(const HttpServerOptions& options,
                                                          const Logger& log);

 private:
  [[nodiscard]] HttpServerResponse debug(const HttpServerRequest& request) EXCLUDES(mutex_);

  struct Page {
    DebugPage text;
    std::shared_ptr<ProbeThread> thread;  // A page that replaces one that hangs has its own.
  };
  struct RouteEntry {
    Route handle;  // Empty: there is none.
    RouteMethods methods = RouteMethods::kRead;
  };

  /// The response that the thread of `page` makes.
  [[nodiscard]] static HttpServerResponse defer(Page page, std::string_view path,
                                                std::string_view query);
  [[nodiscard]] RouteEntry find_route(std::string_view path) const EXCLUDES(mutex_);

  HealthChecks& checks_;
  ProbeThreads& probe_threads_;
  mutable Mutex mutex_;
  std::map<std::string, Page, std::less<>> pages_ GUARDED_BY(mutex_);
  std::map<std::string, RouteEntry, std::less<>> routes_ GUARDED_BY(mutex_);  // Keyed by path.
};

}  // namespace davit::host
