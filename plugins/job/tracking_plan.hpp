/// Counting each finished pod exactly once: its UID goes into the status, then its finalizer goes,
/// then the UID becomes a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "plugins/job/end_plan.hpp"
#include "plugins/job/job_status.hpp"
#include "plugins/job/snapshot.hpp"

namespace davit::job {

/// The pods to count in one sync.
struct TrackingPlan {
  std::vector<std::size_t> release = {};  ///< Lose their finalizer once the status is written.
  std::vector<std::string> succeeded = {};
  std::vector<std::string> failed = {};
  std::vector<std::int64_t> indexes = {};         ///< Succeeded for the first time.
  std::vector<FailureRule::Action> handled = {};  ///< The pod failure policy's actions.
  bool cut = false;  ///< There are more than a status may list; they follow in the next syncs.
};

/// `folded` is the status after fold_uncounted(). Rule: docs/spec/job.md, 21.2.
[[nodiscard]] TrackingPlan plan_tracking(const Snapshot& job, const JobStatus& folded,
                                         const std::optional<End>& end);

/// The UIDs of the pods that still have their finalizer.
[[nodiscard]] std::unordered_set<std::string_view> tracked_uids(const Snapshot& job);

/// Turns listed UIDs of pods that are not in `tracked` any more into numbers. Whether there were
/// any. Rule: docs/spec/job.md, 21.1.
bool fold_uncounted(JobStatus& status, const std::unordered_set<std::string_view>& tracked);

}  // namespace davit::job
