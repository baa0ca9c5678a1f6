/// Decides which old ReplicaSets to delete. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "plugins/deployment/facts.hpp"

namespace davit::deployment {

/// The old sets to delete, as places in `sets.all`, lowest revision first. A set that still has, or
/// may still get, replicas is skipped, and no other one goes in its stead. Upstream:
/// cleanupDeployment.
[[nodiscard]] std::vector<std::size_t> plan_history_cleanup(const RolloutFacts& rollout,
                                                            const SetList& sets);

}  // namespace davit::deployment
