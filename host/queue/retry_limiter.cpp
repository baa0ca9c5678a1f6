#include "host/queue/retry_limiter.hpp"

#include <algorithm>
#include <davit/mutant.hpp>

namespace davit::host {

Duration RetryLimiter::next(std::string_view key, Time now) {
  auto it = failures_.find(key);
  if (it == failures_.end()) it = failures_.emplace(std::string(key), 0).first;
  const Duration own = exponential(it->second);
  ++it->second;
  return std::max(own, reserve_token(now));
}

void RetryLimiter::forget(std::string_view key) {
  const auto it = failures_.find(key);
  if (it != failures_.end()) failures_.erase(it);
}

std::uint32_t RetryLimiter::failures(std::string_view key) const {
  const auto it = failures_.find(key);
  return it == failures_.end() ? 0 : it->second;
}

Duration RetryLimiter::exponential(std::uint32_t failures) const {
  Duration delay = options_.base;
  if (mutant("back-off")) return delay;
  for (std::uint32_t i = 0; i < failures; ++i) {
    if (delay >= options_.max / 2) return options_.max;
    delay *= 2;
  }
  return std::min(delay, options_.max);
}

Duration RetryLimiter::reserve_token(Time now) {
  if (options_.per_second <= 0) return Duration(0);
  if (now > refilled_) {
    const double seconds = std::chrono::duration<double>(now - refilled_).count();
    tokens_ =
        std::min(static_cast<double>(options_.burst), tokens_ + seconds * options_.per_second);
    refilled_ = now;
  }
  tokens_ -= 1.0;
  if (tokens_ >= 0) return Duration(0);
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(-tokens_ / options_.per_second));
}

}  // namespace davit::host
