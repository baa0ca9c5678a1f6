/// Whether and how a Job ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/time.hpp>
#include <optional>
#include <string>

#include "plugins/job/snapshot.hpp"

namespace davit::job {

/// The outcome of a Job. It is announced first, and stored for good when all pods are counted.
struct End {
  enum class Outcome : std::uint8_t { kSuccess, kFailure };

  Outcome outcome = Outcome::kSuccess;
  bool announced = false;  ///< SuccessCriteriaMet or FailureTarget is stored.
  std::string reason = {};
  std::string message = {};

  [[nodiscard]] bool is_failure() const { return outcome == Outcome::kFailure; }

  friend bool operator==(const End&, const End&) = default;
};

/// The rest of the deadline of a Job that started then; zero or less when it has passed.
[[nodiscard]] Duration deadline_left(std::chrono::seconds deadline, WallTime start_time,
                                     WallTime now);

/// The rules a to g, which are asked before pods are managed; the first that holds decides.
/// Rule: docs/spec/job.md, 10.
[[nodiscard]] std::optional<End> plan_end(const Snapshot& job, std::optional<WallTime> start_time,
                                          WallTime now);
/// Rule h, with the number of active pods after pods were managed.
[[nodiscard]] std::optional<End> plan_completion(const Snapshot& job, std::int64_t active);

}  // namespace davit::job
