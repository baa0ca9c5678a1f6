/// The pods that a Job lacks, or has too many of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plugins/job/backoff_plan.hpp"
#include "plugins/job/snapshot.hpp"

namespace davit::job {

/// A pod to create.
struct NewPod {
  std::optional<std::int64_t> index = std::nullopt;  ///< Indexed Jobs only.
  /// Failures of the index so far; only with a back-off limit per index.
  std::optional<std::int64_t> failures = std::nullopt;
  std::int64_t ignored_failures = 0;

  friend bool operator==(const NewPod&, const NewPod&) = default;
};

struct ManagePlan {
  enum class Action : std::uint8_t {
    kNone,
    kRemove,  ///< `remove`, which is empty for a suspended Job without pods.
    kCreate,  ///< `create`
    kWait,    ///< Pods are missing, but their back-off lasts for `wait`.
  };

  Action action = Action::kNone;
  std::vector<std::size_t> remove = {};  ///< Positions in the snapshot.
  std::vector<NewPod> create = {};
  Duration wait{};
};

/// `backoff` includes the pods that this sync has found finished.
/// Rule: docs/spec/job.md, 12 and 15.
[[nodiscard]] ManagePlan plan_pods(const Snapshot& job, const Backoff& backoff, WallTime now);

}  // namespace davit::job
