#include "sandbox/aggregation/upgrade.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/base/lower_case.hpp"
#include "lib/net/http1.hpp"
#include "lib/net/http_tunnel.hpp"
#include "lib/net/transport.hpp"
#include "sandbox/aggregation/proxied_response.hpp"

namespace davit::sandbox {

namespace {

constexpr int kFirstError = 400;
constexpr std::size_t kPiece = std::size_t{64} << 10U;

HttpServerResponse unavailable(const std::string& why) { return proxy_error(503, why); }

/// Bytes of a client and of a server, as they come.
class ProxiedTunnel final : public HttpTunnel {
 public:
  /// `first` came behind the head.
  ProxiedTunnel(std::unique_ptr<ByteConnection> connection, std::string first,
                std::shared_ptr<void> held)
      : held_(std::move(held)), first_(std::move(first)), connection_(std::move(connection)) {}

  [[nodiscard]] State read(std::string& out, std::size_t bytes_max) override {
    if (!first_.empty()) {
      out += std::exchange(first_, "");
      return State::kOpen;
    }
    return connection_->read(out, bytes_max) == ByteConnection::State::kEnded ? State::kEnded
                                                                              : State::kOpen;
  }
  void on_ready(std::function<void()> ready) override { connection_->on_ready(std::move(ready)); }
  [[nodiscard]] Time next_read() const override { return Time::max(); }
  void receive(std::string_view bytes) override { connection_->write(bytes); }
  [[nodiscard]] bool wants_input() const override { return connection_->wants_more(); }
  void receive_end() override { connection_->end(); }

 private:
  const std::shared_ptr<void> held_;
  std::string first_;
  const std::unique_ptr<ByteConnection> connection_;
};

/// A response that is kept as a whole.
class KeptResponse final : public ResponseReader {
 public:
  void on_head(int status, const HttpHeaders& headers) override {
    status_ = status;
    headers_ = headers;
  }
  Flow on_body(std::string_view chunk) override {
    if (chunk.size() > kBodyBytesMax - body_.size()) return Flow::kEnough;
    body_ += chunk;
    return Flow::kMore;
  }
  void on_end(const TransportEnd&) override {}

  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] const HttpHeaders& headers() const { return headers_; }
  [[nodiscard]] std::string take_body() { return std::move(body_); }

 private:
  /// The Status of an error; a larger body is not one.
  static constexpr std::size_t kBodyBytesMax = std::size_t{1} << 20U;

  int status_ = 0;
  HttpHeaders headers_;
  std::string body_;
};

class UpgradeResponse final : public HttpDeferredResponse {
 public:
  UpgradeResponse(std::unique_ptr<ByteConnection> connection, const Clock& clock,
                  std::shared_ptr<void> held)
      : held_(std::move(held)),
        connection_(std::move(connection)),
        clock_(clock),
        end_(clock.now() + kResponseTime),
        next_take_(clock.now() + pause_) {}

  [[nodiscard]] std::optional<HttpServerResponse> take() override {
    const Time now = clock_.now();
    next_take_ = now + pause_;
    pause_ = std::min(pause_ * 2, kPauseMax);
    std::string came;
    const ByteConnection::State state = connection_->read(came, kPiece);
    const bool ended = state == ByteConnection::State::kEnded;
    Http1Response::State read = reading_.feed(came);
    if (read == Http1Response::State::kMore && ended) read = reading_.finish();
    if (read == Http1Response::State::kDone) return final_response();
    if (ended && !connection_->fault().empty()) {
      return unavailable("error dialing backend: " + connection_->fault());
    }
    if (read == Http1Response::State::kBroken) return unavailable(reading_.end().message);
    if (now >= end_) return unavailable("error dialing backend: i/o timeout");
    return std::nullopt;
  }
  [[nodiscard]] Time next_take() const override { return next_take_; }

 private:
  static constexpr Duration kResponseTime = std::chrono::seconds(60);
  static constexpr Duration kPauseMax = std::chrono::milliseconds(20);

  [[nodiscard]] HttpServerResponse final_response() {
    const int status = kept_.status();
    if (status == kSwitchingProtocols) {
      HttpServerResponse out;
      out.status = status;
      out.headers = kept_.headers();
      out.stream = std::make_unique<ProxiedTunnel>(std::move(connection_), reading_.take_rest(),
                                                   std::move(held_));
      return out;
    }
    if (status < kFirstError) {
      return unavailable("invalid upgrade response: status code " + std::to_string(status));
    }
    HttpServerResponse out = passed_on(status, kept_.headers());
    out.body = kept_.take_body();
    return out;
  }

  std::shared_ptr<void> held_;
  std::unique_ptr<ByteConnection> connection_;
  const Clock& clock_;
  const Time end_;
  Duration pause_ = std::chrono::milliseconds(1);
  Time next_take_;
  KeptResponse kept_;
  const Http1Route route_;  // Messages do not name a proxy.
  Http1Response reading_{kept_, ResponseBody::kPossible, route_, ProtocolSwitch::kWanted};
};

}  // namespace

bool is_upgrade(const HttpServerRequest& request) {
  return std::ranges::any_of(request.headers, [](const auto& each) {
    return lower_case(each.first) == "connection" &&
           lower_case(each.second).find("upgrade") != std::string::npos;
  });
}

Result<std::string> upgrade_text(const HttpServerRequest& request, const UserInfo& who,
                                 std::string host) {
  HttpRequest out;
  out.method = request.method;
  out.target = request.target;
  out.body = request.body;
  for (const auto& each : request.headers) {
    if (!is_of_client(lower_case(each.first))) out.headers.push_back(each);
  }
  add_remote_user(who, out.headers);
  return http1_request(out, {.host = std::move(host)});
}

HttpServerResponse start_upgrade(std::unique_ptr<ByteConnection> connection, const Clock& clock,
                                 std::shared_ptr<void> held) {
  // For callers that do not wait.
  HttpServerResponse out = proxy_error(503, "the server of the aggregated API takes time");
  out.deferred = std::make_unique<UpgradeResponse>(std::move(connection), clock, std::move(held));
  return out;
}

}  // namespace davit::sandbox
