/// Pods whose eviction the server has accepted and that are still there, and the pods that count as
/// healthy beside them. Pure; kubernetes:pkg/controller/disruption buildDisruptedPodMap.
#pragma once

#include <cstdint>
#include <davit/kube/pod.hpp>
#include <davit/time.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugins/disruption/budget.hpp"

namespace davit::disruption {

/// DeletionTimeout: from then on an accepted eviction counts as failed.
inline constexpr std::chrono::minutes kDeletionTimeout{2};

/// Name of a pod → the time at which the server accepted its eviction.
using EvictionTimes = std::map<std::string, WallTime>;

struct DisruptedPods {
  EvictionTimes kept;
  std::vector<Pod> overdue;         ///< Were not deleted in time.
  std::optional<WallTime> recheck;  ///< When the first of those that are kept is overdue.
};

/// The times in status.disruptedPods. One that is not a time is that of a long past.
[[nodiscard]] EvictionTimes eviction_times(const PodDisruptionBudget& budget);

/// `pods`: those that the budget selects. Rule: docs/spec/disruption.md, section 7.
[[nodiscard]] DisruptedPods plan_disrupted(const EvictionTimes& present, std::span<const Pod> pods,
                                           WallTime now);

/// The pods that are ready and not about to be deleted.
[[nodiscard]] std::int64_t count_healthy(std::span<const Pod> pods, const EvictionTimes& disrupted,
                                         WallTime now);

}  // namespace davit::disruption
