/// A ResponseReader whose response a test waits for.
#pragma once

#include <future>
#include <string>
#include <string_view>
#include <utility>

#include "lib/net/transport.hpp"

namespace davit::host {

/// Collects one response; the test waits for its parts.
class CollectedResponse final : public ResponseReader {
 public:
  enum class Mode { kTake, kPauseOnce };
  explicit CollectedResponse(Mode mode = Mode::kTake) : pause_(mode == Mode::kPauseOnce) {}

  void on_head(int status, const HttpHeaders& headers) override {
    status_ = status;
    headers_ = headers;
    head_.set_value();
  }
  Flow on_body(std::string_view chunk) override {
    if (std::exchange(pause_, false)) {
      paused_.set_value();
      return Flow::kPause;
    }
    body_ += chunk;
    return Flow::kMore;
  }
  void on_end(const TransportEnd& end) override { end_.set_value(end); }

  TransportEnd wait() { return end_.get_future().get(); }
  void await_head() { head_.get_future().wait(); }
  void await_pause() { paused_.get_future().wait(); }

  /// To be read once wait() has returned.
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] const HttpHeaders& headers() const { return headers_; }
  [[nodiscard]] const std::string& body() const { return body_; }

 private:
  int status_ = 0;
  HttpHeaders headers_;
  std::string body_;
  bool pause_;
  std::promise<void> head_;
  std::promise<void> paused_;
  std::promise<TransportEnd> end_;
};

}  // namespace davit::host
