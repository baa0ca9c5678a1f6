/// Growing delays between attempts (k8s.io/apimachinery/pkg/util/wait.Backoff).
#pragma once

#include <algorithm>

#include "lib/base/clock.hpp"
#include "lib/base/random.hpp"

namespace davit {

struct BackoffOptions {
  Duration initial{};   ///< The first delay, before jitter.
  double factor = 1.0;  ///< Each delay is this times the one before.
  double jitter = 0.0;  ///< Up to this share is added at random.
  int steps = 0;        ///< The delay grows so many times at most; 0: without limit.
  Duration longest{};   ///< The delay never grows beyond this, before jitter; 0: without limit.
};

/// Pure: returns how long to wait, and does not wait. Not thread-safe.
class Backoff {
 public:
  explicit Backoff(const BackoffOptions& options) : options_(options) { reset(); }

  /// The next delay.
  [[nodiscard]] Duration next(Random& random) {
    const Duration plain = next_;
    if (options_.steps == 0 || taken_ < options_.steps) {
      ++taken_;
      grow();
    }
    return options_.jitter > 0 ? random.jitter(plain, options_.jitter) : plain;
  }

  /// Starts again with the first delay.
  void reset() {
    next_ = options_.initial;
    taken_ = 0;
  }

 private:
  void grow() {
    const Duration limit = options_.longest.count() > 0 ? options_.longest : kLongest;
    const double grown = static_cast<double>(next_.count()) * options_.factor;
    next_ = grown >= static_cast<double>(limit.count())
                ? limit
                : Duration(static_cast<Duration::rep>(grown));
  }

  /// Keeps sums with a Time in range.
  static constexpr Duration kLongest = std::chrono::hours(24 * 365);

  BackoffOptions options_;
  Duration next_{};
  int taken_ = 0;
};

}  // namespace davit
