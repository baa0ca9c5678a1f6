/// Distributes a change of spec.replicas among the ReplicaSets of a Deployment. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "plugins/deployment/facts.hpp"

namespace davit::deployment {

/// True when an active ReplicaSet was last sized for another number of replicas than is wanted now:
/// the Deployment was scaled since. Sets without a valid desired-replicas annotation say nothing.
[[nodiscard]] bool is_scaling_event(const RolloutFacts& rollout, const SetList& sets);

enum class Marking {
  kWithSize,  ///< A set that has its size already is left alone, annotations included.
  kAlways,    ///< Outdated desired-replicas and max-replicas annotations need a separate write.
};

struct ScalePlan {
  std::vector<Resize> resizes;  ///< In the order of the writes.
  Marking marking = Marking::kWithSize;
};

/// Applies spec.replicas to the sets outside a rollout step: a single active set takes it all;
/// once the new set is saturated the old ones go to zero; in mid-rollout every active set gets its
/// share, so that a bad new version never gains ground by scaling. `reported_replicas` is the
/// Deployment's status.replicas, the base of the shares of sets that carry no max-replicas
/// annotation.
[[nodiscard]] ScalePlan plan_scale(const RolloutFacts& rollout, const SetList& sets,
                                   std::int64_t reported_replicas);

}  // namespace davit::deployment
