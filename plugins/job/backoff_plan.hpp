/// The wait of a Job before it replaces pods that failed.
#pragma once

#include <cstdint>
#include <davit/time.hpp>
#include <optional>
#include <vector>

namespace davit::job {

/// The failures of a Job's pods since the last success. Rule: docs/spec/job.md, 18.
struct Backoff {
  std::int64_t failures = 0;
  WallTime last_failure{};  ///< Without failures: no meaning.

  friend bool operator==(const Backoff&, const Backoff&) = default;
};

/// The record that follows `before` when these pods have finished, each at its time.
[[nodiscard]] Backoff next_backoff(const Backoff& before, const std::vector<WallTime>& succeeded,
                                   const std::vector<WallTime>& failed);
/// 10 s after one failure, doubling with each, at most 10 min; zero without one.
[[nodiscard]] Duration backoff_duration(std::int64_t failures);
/// The rest of it; zero or more.
[[nodiscard]] Duration backoff_left(const Backoff& backoff, WallTime now);

}  // namespace davit::job
