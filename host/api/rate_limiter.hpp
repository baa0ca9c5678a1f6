/// The client-side limit on requests: k8s.io/client-go/util/flowcontrol's token bucket.
#pragma once

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Starts full with `burst` tokens and refills with `qps` tokens a second. A reservation takes a
/// token that may lie in the future: the n-th waiter gets its turn about n/qps later, in the order
/// of reserving.
///
/// Thread-safe; never blocks and never reads a clock.
class TokenBucket {
 public:
  struct Rate {
    double qps = 5;  ///< 0 and below: no limit.
    int burst = 10;
  };

  explicit TokenBucket(Rate rate);

  /// Takes one token and returns when it is available: `now`, or a later time.
  [[nodiscard]] Time reserve(Time now) EXCLUDES(mutex_);

  /// Gives back a reservation that was not used.
  void cancel(Time now) EXCLUDES(mutex_);

 private:
  void refill(Time now) REQUIRES(mutex_);

  const Rate rate_;
  Mutex mutex_;
  double tokens_ GUARDED_BY(mutex_);  // Negative: so many reservations are still waiting.
  Time filled_at_ GUARDED_BY(mutex_){};
  bool started_ GUARDED_BY(mutex_) = false;
};

}  // namespace davit::host
