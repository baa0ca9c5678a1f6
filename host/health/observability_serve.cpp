/// Apart from the routes, so that whoever only needs those builds no HTTP server.
#include "host/health/observability_server.hpp"

namespace davit::host {

Result<std::unique_ptr<HttpServer>> ObservabilityRoutes::serve(const HttpServerOptions& options,
                                                               const Log& log) {
  return HttpServer::open(
      options, [this](const HttpServerRequest& request) { return answer(request); }, log);
}

}  // namespace davit::host
