/// The back-off of a failing key.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "lib/base/clock.hpp"
#include "lib/base/key_hash.hpp"

namespace davit::host {

/// The defaults are upstream's (client-go, DefaultTypedControllerRateLimiter).
struct RetryOptions {
  Duration base =
      std::chrono::milliseconds(5);           ///< First delay of a key; doubles with each failure.
  Duration max = std::chrono::seconds(1000);  ///< Longest delay of one key.
  double per_second = 10.0;                   ///< Retries a second of all keys together …
  std::uint32_t burst = 100;                  ///< … beyond this many at once.
};

/// The longer of a key's own exponential back-off and of a token bucket that all keys share; both
/// advance each time. Pure: callers pass `now`. Not thread-safe; the queue guards it.
class RetryLimiter {
 public:
  explicit RetryLimiter(const RetryOptions& options)
      : options_(options), tokens_(static_cast<double>(options.burst)) {}

  /// Counts a failure of `key` and says how long it has to wait.
  [[nodiscard]] Duration next(std::string_view key, Time now);
  /// Ends the back-off of `key`.
  void forget(std::string_view key);
  /// The failures of `key` since it was last forgotten.
  [[nodiscard]] std::uint32_t failures(std::string_view key) const;

  /// Keys that were not forgotten since they failed.
  [[nodiscard]] std::size_t size() const { return failures_.size(); }

  /// Failures in a row, by key.
  using Failures = std::unordered_map<std::string, std::uint32_t, KeyHash, std::equal_to<>>;
  /// Forgets all keys and returns their failures.
  [[nodiscard]] Failures take_failures() { return std::exchange(failures_, {}); }
  /// Continues with another limiter's failures. This limiter's own knowledge of a key wins.
  void adopt(Failures failures) { failures_.merge(failures); }

 private:
  [[nodiscard]] Duration exponential(std::uint32_t failures) const;
  [[nodiscard]] Duration reserve_token(Time now);

  RetryOptions options_;
  double tokens_;  // Below zero: reserved ahead of time.
  Time refilled_{};
  Failures failures_;
};

}  // namespace davit::host
