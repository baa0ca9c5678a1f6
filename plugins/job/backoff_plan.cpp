#include "plugins/job/backoff_plan.hpp"

#include <algorithm>

namespace davit::job {

Backoff next_backoff(const Backoff& before, const std::vector<WallTime>& succeeded,
                     const std::vector<WallTime>& failed) {
  if (succeeded.empty() && failed.empty()) return before;
  Backoff next = succeeded.empty() ? before : Backoff();
  const WallTime last_success =
      succeeded.empty() ? WallTime::min() : *std::max_element(succeeded.begin(), succeeded.end());
  std::optional<WallTime> last_failure;
  for (const WallTime each : failed) {
    if (each <= last_success && !succeeded.empty()) continue;
    ++next.failures;
    last_failure = last_failure ? std::max(*last_failure, each) : each;
  }
  if (last_failure) next.last_failure = *last_failure;
  return next;
}

Duration backoff_duration(std::int64_t failures) {
  constexpr Duration kFirst = std::chrono::seconds(10);
  constexpr Duration kLongest = std::chrono::minutes(10);
  constexpr std::int64_t kDoublingsMax = 6;  // 10 s · 2^6 is beyond the longest.
  if (failures <= 0) return Duration::zero();
  return std::min(kFirst * (std::int64_t{1} << std::min(failures - 1, kDoublingsMax)), kLongest);
}

Duration backoff_left(const Backoff& backoff, WallTime now) {
  if (backoff.failures <= 0) return Duration::zero();
  const Duration left = backoff_duration(backoff.failures) - (now - backoff.last_failure);
  return std::max(left, Duration::zero());
}

}  // namespace davit::job
