#include "sandbox/faults/degraded_response.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace davit::sandbox {
namespace {

/// A slow body comes in so many portions a second.
constexpr std::size_t kPortionsPerSecond = 10;

/// A body that comes in portions, and what another stream adds to it.
class SlowStream final : public HttpBodyStream {
 public:
  /// `end`: how the body ends if there is no `inner`.
  struct Parts {
    const Clock& clock;
    std::size_t bytes_per_second;  ///< 0: as fast as possible.
    std::string body;
    State end;
    std::unique_ptr<HttpBodyStream> inner;
  };
  explicit SlowStream(Parts parts)
      : parts_(std::move(parts)), state_(parts_.inner ? State::kOpen : parts_.end) {}

  State read(std::string& out, std::size_t bytes_max) override {
    if (left() == 0 && state_ == State::kOpen) {
      parts_.body.clear();
      sent_ = 0;
      state_ = parts_.inner->read(parts_.body, bytes_max);
    }
    const Time now = parts_.clock.now();
    if (left() > 0 && now >= next_portion_) send_portion(out, now);
    return left() > 0 ? State::kOpen : state_;
  }
  void on_ready(std::function<void()> ready) override {
    if (parts_.inner) parts_.inner->on_ready(std::move(ready));
  }
  [[nodiscard]] Time next_read() const override {
    if (left() > 0) return next_portion_;
    return parts_.inner ? parts_.inner->next_read() : Time::max();
  }

 private:
  [[nodiscard]] std::size_t left() const { return parts_.body.size() - sent_; }
  void send_portion(std::string& out, Time now) {
    std::size_t size = left();
    if (const std::size_t rate = parts_.bytes_per_second; rate > 0) {
      size = std::min(size, std::max<std::size_t>(1, rate / kPortionsPerSecond));
      next_portion_ = now + std::chrono::nanoseconds(std::chrono::seconds(1)) * size / rate;
    }
    out.append(parts_.body, sent_, size);
    sent_ += size;
  }

  Parts parts_;
  State state_;           ///< The state of the inner stream.
  std::size_t sent_ = 0;  ///< Bytes of the body.
  Time next_portion_{};
};

HttpServerResponse with_slow_body(HttpServerResponse response, const Degradation& degradation,
                                  const Clock& clock) {
  const bool cut = response.stream == nullptr && degradation.cut_after &&
                   response.body.size() >= *degradation.cut_after;
  if (response.aborted || (!cut && degradation.bytes_per_second == 0)) return response;
  if (cut) response.body.resize(*degradation.cut_after);
  const auto end = cut ? HttpBodyStream::State::kCut : HttpBodyStream::State::kEnded;
  response.stream = std::make_unique<SlowStream>(
      SlowStream::Parts{clock, degradation.bytes_per_second, std::exchange(response.body, {}), end,
                        std::move(response.stream)});
  return response;
}

/// The degraded response, once its delay is over. The delay of a deferred response begins when it
/// is known.
class LateResponse final : public HttpDeferredResponse {
 public:
  LateResponse(HttpServerResponse response, const Degradation& degradation, const Clock& clock)
      : response_(std::move(response)),
        degradation_(degradation),
        clock_(clock),
        due_(clock.now() + degradation.delay) {}

  [[nodiscard]] std::optional<HttpServerResponse> take() override {
    if (response_.deferred) {
      std::optional<HttpServerResponse> known = response_.deferred->take();
      if (!known) return std::nullopt;
      response_ = std::move(*known);
      due_ = clock_.now() + degradation_.delay;
    }
    if (clock_.now() < due_) return std::nullopt;
    return with_slow_body(std::move(response_), degradation_, clock_);
  }
  [[nodiscard]] Time next_take() const override {
    return response_.deferred ? response_.deferred->next_take() : due_;
  }

 private:
  HttpServerResponse response_;
  const Degradation degradation_;
  const Clock& clock_;
  Time due_;
};

}  // namespace

HttpServerResponse degraded(HttpServerResponse response, const Degradation& degradation,
                            const Clock& clock) {
  const bool untouched = degradation.delay == Duration{0} && degradation.bytes_per_second == 0 &&
                         !degradation.cut_after;
  if (untouched) return response;
  if (!response.deferred && degradation.delay == Duration{0}) {
    return with_slow_body(std::move(response), degradation, clock);
  }
  HttpServerResponse late;
  late.status = response.status;
  late.content_type = response.content_type;
  late.headers = response.headers;
  late.body = response.body;
  late.aborted = response.aborted;
  late.deferred = std::make_unique<LateResponse>(std::move(response), degradation, clock);
  return late;
}

}  // namespace davit::sandbox
