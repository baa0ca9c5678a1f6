/// The arithmetic of a rolling update: how far the new ReplicaSet may grow and the old ones may
/// shrink. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "plugins/deployment/facts.hpp"

namespace davit::deployment {

/// The size that the new ReplicaSet gets next: up to the wanted number of replicas, but together
/// with the old ones never above wanted + surge. For Recreate: the wanted number at once.
/// `total` counts the wanted replicas of all sets, the new one's `current` included. Upstream:
/// NewRSNewReplicas.
[[nodiscard]] std::int64_t new_set_size(const RolloutFacts& rollout, std::int64_t total,
                                        std::int64_t current);

/// Scales down the old ReplicaSets in this sync, in the order of the writes; a set may occur twice.
/// Unavailable replicas go first: that costs no availability, and a half-rolled version that never
/// works must not delay the next one. Upstream: reconcileOldReplicaSets. The list must
/// have a new set.
[[nodiscard]] std::vector<Resize> plan_old_scale_down(const RolloutFacts& rollout,
                                                      const SetList& sets);

}  // namespace davit::deployment
