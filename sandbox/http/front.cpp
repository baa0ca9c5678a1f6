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

class Body final : public host::HttpBodyStream {
 public:
  explicit Body(std::unique_ptr<BodyStream> stream) : stream_(std::move(stream)) {}

  [[nodiscard]] State read(std::string& out, std::size_t bytes_max) override {
    switch (stream_->read(out, bytes_max)) {
      case BodyStream::State::kEnded:
        return State::kEnded;
      case BodyStream::State::kCut:
        return State::kCut;
      case BodyStream::State::kOpen:
        break;
    }
    return State::kOpen;
  }
  void on_ready(std::function<void()> ready) override { stream_->on_ready(std::move(ready)); }
  [[nodiscard]] host::Time next_read() const override { return stream_->next_read(); }

 private:
  const std::unique_ptr<BodyStream> stream_;
};

Request to_request(const host::HttpServerRequest& from) {
  Request request;
  request.method = from.method;
  request.target = from.target;
  request.headers = from.headers;
  request.body = from.body;
  request.body_too_large = from.body_too_large;
  if (from.peer && from.peer->trusted) {
    request.certificate = CertificateIdentity{from.peer->common_name, from.peer->organizations};
  }
  request.certificate_refused = from.peer && !from.peer->trusted;
  return request;
}

host::HttpServerResponse to_http(Response from);

class DeferredHttp final : public host::HttpDeferredResponse {
 public:
  explicit DeferredHttp(std::unique_ptr<DeferredResponse> response)
      : response_(std::move(response)) {}

  [[nodiscard]] std::optional<host::HttpServerResponse> take() override {
    std::optional<Response> known = response_->take();
    if (!known) return std::nullopt;
    return to_http(std::move(*known));
  }
  [[nodiscard]] host::Time next_take() const override { return response_->next_take(); }

 private:
  const std::unique_ptr<DeferredResponse> response_;
};

host::HttpServerResponse to_http(Response from) {
  host::HttpServerResponse response;
  response.status = from.status;
  response.content_type = std::move(from.content_type);
  response.headers = std::move(from.headers);
  response.body = std::move(from.body);
  if (from.stream) response.stream = std::make_unique<Body>(std::move(from.stream));
  response.fault = {from.fault.delay, from.fault.cut_after, from.fault.reset,
                    from.fault.bytes_per_second};
  if (from.deferred) response.deferred = std::make_unique<DeferredHttp>(std::move(from.deferred));
  return response;
}

}  // namespace

Result<std::unique_ptr<host::HttpServer>> open_front(const FrontOptions& options, Handler& handler,
                                                     host::Log log) {
  host::HttpServerOptions http;
  http.address = options.address;
  http.port = options.port;
  http.tls = options.tls;
  http.connections_max = kConnectionsMax;
  http.body_bytes_max = kBodyBytesMax;
  http.large_body = host::LargeBody::kPassToHandler;
  http.idle_time = kIdleTime;
  return host::HttpServer::open(
      http,
      [&handler](const host::HttpServerRequest& request) {
        return to_http(handler.handle(to_request(request)));
      },
      std::move(log));
}

}  // namespace davit::sandbox
