/// Separate from the routes, so that programs that need only the routes build no HTTP server.
#include "host/health/observability_server.hpp"

namespace davit::host {

Result<std::unique_ptr<HttpServer>> ObservabilityRoutes::serve(const HttpServerOptions& options,
                                                               const Logger& log) {
  HttpServerOptions with_probes = options;
  with_probes.is_probe = &ObservabilityRoutes::is_health;
  return HttpServer::open(
      with_probes, [this](const HttpServerRequest& request) { return respond(request); }, log);
}

}  // namespace davit::host
