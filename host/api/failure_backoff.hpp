/// The back-off of a client whose server fails
/// (client-go/rest/urlbackoff.go).
#pragma once

#include <algorithm>
#include <optional>

#include "host/config/connection_config.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Grows with each response 429 or 5xx, from `base` by doubling up to `longest`; any other outcome
/// of an attempt, a lost connection too, ends it, and so does silence for twice `longest`.
///
/// Thread-safe; never blocks and never reads a clock.
class FailureBackoff {
 public:
  /// Without limits there is never a delay.
  explicit FailureBackoff(std::optional<FailureBackoffLimits> limits) : limits_(limits) {}

  /// To wait before an attempt that is made at `now`.
  [[nodiscard]] Duration delay(Time now) EXCLUDES(mutex_) {
    if (!limits_) return Duration::zero();
    MutexLock lock(mutex_);
    return expired(now) ? Duration::zero() : delay_;
  }

  /// An attempt ended; `http_status` 0 for no response.
  void note(int http_status, Time now) EXCLUDES(mutex_) {
    if (!limits_) return;
    MutexLock lock(mutex_);
    const bool failed = http_status == 429 || http_status >= 500;
    const bool first = delay_ == Duration::zero() || expired(now);
    delay_ = !failed ? Duration::zero()
             : first ? Duration(limits_->base)
                     : std::min(delay_ * 2, Duration(limits_->longest));
    noted_at_ = now;
  }

 private:
  [[nodiscard]] bool expired(Time now) const REQUIRES(mutex_) {
    return now - noted_at_ > Duration(limits_->longest) * 2;
  }

  const std::optional<FailureBackoffLimits> limits_;
  Mutex mutex_;
  Duration delay_ GUARDED_BY(mutex_){};
  Time noted_at_ GUARDED_BY(mutex_){};
};

}  // namespace davit::host
