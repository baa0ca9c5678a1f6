/// A connection with a clock, a handler and no socket.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/net/http_connection.hpp"

namespace davit::test {

inline constexpr Time kStart{std::chrono::hours(1)};

/// The content of a test's stream.
struct Script {
  std::vector<std::string> pieces = {};
  HttpBodyStream::State end = HttpBodyStream::State::kOpen;
  Time next = Time::max();
  std::function<void()> ready = {};
};

class ScriptedStream final : public HttpBodyStream {
 public:
  explicit ScriptedStream(Script& script) : script_(script) {}

  [[nodiscard]] State read(std::string& out, std::size_t) override {
    if (script_.pieces.empty()) return script_.end;
    out += script_.pieces.front();
    script_.pieces.erase(script_.pieces.begin());
    return script_.pieces.empty() ? script_.end : State::kOpen;
  }
  void on_ready(std::function<void()> ready) override { script_.ready = std::move(ready); }
  [[nodiscard]] Time next_read() const override { return script_.next; }

 private:
  Script& script_;
};

class HttpConversationTest : public testing::Test {
 protected:
  /// Everything that can be sent now.
  std::string sent() {
    std::string all;
    for (;;) {
      const std::string piece = connection_->output(now_);
      if (piece.empty()) return all;
      all += piece;
      connection_->sent(now_);
    }
  }
  std::string ask(std::string_view bytes) {
    connection_->receive(bytes, now_);
    return sent();
  }
  void open() {
    connection_ = std::make_unique<HttpConnection>(
        options_, handler_, [this] { ++wakes_; }, now_);
  }
  void pass(Duration time) {
    now_ += time;
    connection_->tick(now_);
  }
  /// The next response is made of this stream.
  void stream(Script& script) {
    respond_ = [&script](const HttpServerRequest&) {
      HttpServerResponse response;
      response.stream = std::make_unique<ScriptedStream>(script);
      return response;
    };
    open();
  }

  HttpServerOptions options_;
  std::vector<HttpServerRequest> requests_;
  std::function<HttpServerResponse(const HttpServerRequest&)> respond_ =
      [](const HttpServerRequest& request) {
        HttpServerResponse response;
        response.body = request.target;
        return response;
      };
  const HttpConnection::Handler handler_ = [this](const HttpServerRequest& request) {
    requests_.push_back({request.method, request.target, request.headers, request.body,
                         request.peer, request.body_too_large});
    return respond_(request);
  };
  int wakes_ = 0;
  Time now_ = kStart;
  std::unique_ptr<HttpConnection> connection_;
};

inline constexpr const char* kGet = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

}  // namespace davit::test
