/// Whether a controller may begin what takes time: requests, pauses.
#pragma once

#include <stop_token>

#include "lib/base/mutex.hpp"

namespace davit::host {

/// Thread-safe.
class HoldSwitch {
 public:
  void hold() EXCLUDES(mutex_) {
    std::stop_source now;
    {
      MutexLock lock(mutex_);
      now = held_;
    }
    now.request_stop();  // Outside the lock: this calls waiters.
  }
  void release() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (held_.stop_requested()) held_ = std::stop_source();
  }
  /// Requested by hold(); of no use after release().
  [[nodiscard]] std::stop_token token() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return held_.get_token();
  }

 private:
  mutable Mutex mutex_;
  std::stop_source held_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
