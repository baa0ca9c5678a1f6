/// Separate from the routes, so that programs that need only the routes build no HTTP server.
#include <utility>

#include "host/health/observability_server.hpp"

namespace davit::host {
namespace {

/// Requests of probes and scrapers are a few lines, their responses a few hundred kilobytes.
constexpr std::chrono::seconds kProbeRequestTime{10};

}  // namespace

Result<std::unique_ptr<HttpServer>> ObservabilityRoutes::serve(const HttpServerOptions& options,
                                                               const Logger& log) {
  HttpServerOptions with_probes = options;
  with_probes.is_probe = &ObservabilityRoutes::is_health;
  with_probes.request_time = kProbeRequestTime;
  with_probes.common_headers = browser_limits();
  Result<std::unique_ptr<HttpServer>> server = HttpServer::open(
      with_probes, [this](const HttpServerRequest& request) { return respond(request); }, log);
  if (!server) return server.error().with_context("cannot serve health and metrics");
  log.info(0, "Serving health and metrics", {{"address", (*server)->endpoint()}});
  return server;
}

}  // namespace davit::host
