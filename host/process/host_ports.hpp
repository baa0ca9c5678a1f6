/// The health checks and pages of a host, and the ports that serve them.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "host/config/connection_config.hpp"
#include "host/config/manifest.hpp"
#include "host/health/health_checks.hpp"
#include "host/health/observability_server.hpp"
#include "host/health/probe_thread.hpp"
#include "host/metrics/metrics.hpp"
#include "host/serving/secure_serving.hpp"
#include "host/swap/serving_plugins.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"
#include "lib/net/http_server.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

/// Life:  open() → tick() every second → close(). Those belong to the main thread; checks(),
/// routes(), show() and hide() are for any.
class HostPorts {
 public:
  /// A health check or page of a plugin responds at once or is not waited for: probes give up after
  /// a second, kubelet's default.
  static constexpr Duration kPluginResponseTime = std::chrono::milliseconds(500);

  /// Each outlives this.
  struct Seams {
    const Manifest& manifest;
    Clock& clock;
    Random& random;
    Metrics& metrics;
    Logger log;
  };
  explicit HostPorts(const Seams& seams);
  HostPorts(const HostPorts&) = delete;
  HostPorts& operator=(const HostPorts&) = delete;

  [[nodiscard]] HealthChecks& checks() { return checks_; }
  [[nodiscard]] ObservabilityRoutes& routes() { return routes_; }

  /// Opens the ports in the manifest. `transport`: to the API server, which judges the clients of
  /// the HTTPS port.
  [[nodiscard]] Status open(Transport& transport);
  /// The authorities that the API server publishes for clients; see SecureServing.
  [[nodiscard]] Status look_up_trust(const std::stop_token& stop) {
    return secure_ == nullptr ? Status() : secure_->look_up_trust(stop);
  }
  void tick() {
    if (secure_ != nullptr) secure_->tick();
  }
  /// Closes the ports. Before that which their pages show goes.
  void close();
  /// Whether every health check and page of a plugin has returned; waits for a moment.
  [[nodiscard]] bool wait_idle();

  /// The health check of a controller, and its page if it has one.
  void show(const std::string& controller, ServingPlugins& plugins);
  void hide(const std::string& controller);

  /// The address of the pages over plain HTTP; empty if they are not served.
  [[nodiscard]] std::string page_url() const {
    return server_ ? "http://" + server_->endpoint() + "/" : std::string();
  }
  /// When the first client certificate of the kubeconfigs expires. Reads files.
  [[nodiscard]] std::optional<WallTime> first_certificate_end(
      const ConnectionConfig& connection) const;

 private:
  [[nodiscard]] Status open_secure(Transport& transport);

  const Seams seams_;
  ProbeThreads probe_threads_;  // Health checks and pages of plugins.
  HealthChecks checks_;
  ObservabilityRoutes routes_;
  // From open() to close(). Last: their handlers read the others.
  std::unique_ptr<HttpServer> server_;     // Plain HTTP; null: none.
  std::unique_ptr<SecureServing> secure_;  // HTTPS; null: none.
};

}  // namespace davit::host
