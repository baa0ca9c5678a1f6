#include "host/process/host_ports.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

#include "host/transport/tls_material.hpp"

namespace davit::host {

HostPorts::HostPorts(const Seams& seams)
    : seams_(seams),
      probe_threads_(seams_.clock, kPluginResponseTime),
      checks_(seams_.log),
      routes_(checks_, seams_.metrics, probe_threads_) {
  checks_.set_observer(
      [this](std::string_view check, std::string_view endpoint, const Status& result) {
        seams_.metrics.health_checked(check, endpoint, result);
      });
}

Status HostPorts::open(Transport& transport) {
  const HealthSettings& health = seams_.manifest.health;
  if (health.port >= 0) {
    const auto port = static_cast<std::uint16_t>(health.port);
    auto server = routes_.serve({.address = health.bind_address, .port = port}, seams_.log);
    if (!server) return server.error();
    server_ = *std::move(server);
  }
  return secure_port(seams_.manifest) == 0 ? Status() : open_secure(transport);
}

Status HostPorts::open_secure(Transport& transport) {
  const auto pages = [this](const HttpServerRequest& request) { return routes_.respond(request); };
  auto secure = SecureServing::open(seams_.manifest,
                                    {transport, seams_.clock, seams_.random, seams_.metrics,
                                     seams_.metrics, pages, &ObservabilityRoutes::is_health},
                                    seams_.log.named("serving"));
  if (secure) secure_ = *std::move(secure);
  return secure.error();
}

void HostPorts::close() {
  server_.reset();
  secure_.reset();
}

bool HostPorts::wait_idle() {
  return probe_threads_.wait_idle(seams_.clock.now() + kPluginResponseTime);
}

void HostPorts::show(const std::string& controller, ServingPlugins& plugins) {
  constexpr HealthEndpoints kWell{.health = true, .live = false, .ready = true};
  // A plugin that hangs must not delay other probes, so its code runs on its own threads.
  checks_.add_threaded(controller, kWell, probe_threads_.make(),
                       [&plugins, controller] { return plugins.health(controller); });
  if (!plugins.has_debug_page(controller)) return routes_.remove_debug_page(controller);
  routes_.add_debug_page(controller,
                         [&plugins, controller](std::string_view path, std::string_view query) {
                           return plugins.debug_page(controller, path, query);
                         });
}

void HostPorts::hide(const std::string& controller) {
  checks_.remove(controller);
  routes_.remove_debug_page(controller);
}

std::optional<WallTime> HostPorts::first_certificate_end(const ConnectionConfig& connection) const {
  return secure_ ? secure_->client_certificate_end(connection) : client_certificate_end(connection);
}

}  // namespace davit::host
