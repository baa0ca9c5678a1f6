#include "host/api/rate_limiter.hpp"

#include <algorithm>
#include <cmath>
#include <davit/mutant.hpp>

namespace davit::host {

TokenBucket::TokenBucket(Rate rate) : rate_(rate), tokens_(rate.burst) {}

void TokenBucket::refill(Time now) {
  if (!started_) {
    started_ = true;
    filled_at_ = now;
  }
  if (now <= filled_at_) return;  // Callers read the clock before they take the lock.
  const double seconds = std::chrono::duration<double>(now - filled_at_).count();
  tokens_ = std::min(static_cast<double>(rate_.burst), tokens_ + seconds * rate_.qps);
  filled_at_ = now;
}

Time TokenBucket::reserve(Time now) {
  if (rate_.qps <= 0 || mutant("client-rate")) return now;
  MutexLock lock(mutex_);
  refill(now);
  tokens_ -= 1;
  if (tokens_ >= 0) return now;
  // A rate near 0 would lie beyond what a time point can hold.
  constexpr double kLongestNs = 400.0 * 24 * 3600 * 1e9;
  const double wait_ns = std::min(std::ceil(-tokens_ / rate_.qps * 1e9), kLongestNs);
  return std::max(now, filled_at_ + Duration(static_cast<Duration::rep>(wait_ns)));
}

void TokenBucket::cancel(Time now) {
  if (rate_.qps <= 0) return;
  MutexLock lock(mutex_);
  refill(now);
  tokens_ = std::min(static_cast<double>(rate_.burst), tokens_ + 1);
}

}  // namespace davit::host
