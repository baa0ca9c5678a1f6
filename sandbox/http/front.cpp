#include "sandbox/http/front.hpp"

#include <utility>

namespace davit::sandbox {
namespace {

/// kube-apiserver's limit for a body.
constexpr std::size_t kBodyBytesMax = 3'145'728;
/// More than a machine's usual limit of descriptors lets in.
constexpr std::size_t kConnectionsMax = 16'384;
/// client-go keeps a connection this long for its next request.
constexpr auto kIdleTime = std::chrono::seconds(90);

}  // namespace

Result<std::unique_ptr<HttpServer>> open_front(const FrontOptions& options, HttpHandler& handler,
                                               Logger log) {
  HttpServerOptions http;
  http.address = options.address;
  http.port = options.port;
  http.tls = options.tls;
  http.connections_max = kConnectionsMax;
  http.body_bytes_max = kBodyBytesMax;
  http.large_body = LargeBody::kPassToHandler;
  http.idle_time = kIdleTime;
  return HttpServer::open(
      http, [&handler](const HttpServerRequest& request) { return handler.handle(request); },
      std::move(log));
}

}  // namespace davit::sandbox
