#include "plugins/deployment/rollout_state.hpp"

#include <algorithm>
#include <utility>

#include "plugins/deployment/annotations.hpp"
#include "plugins/deployment/snapshot.hpp"
#include "plugins/deployment/template_equality.hpp"

namespace davit::deployment {

RolloutState::RolloutState(const Cluster& of, const Deployment& snapshot,
                           std::vector<ReplicaSet> owned, const Instant& at)
    : cluster(of),
      deployment(snapshot),
      now(at.wall),
      began(at.steady),
      rollout(read_rollout_leniently(snapshot)),
      limits(read_rollout(snapshot).error()) {
  find_new_set(std::move(owned));
}

/// The oldest set with the Deployment's template is the new one; every other set is old, a younger
/// twin too. Upstream: FindNewReplicaSet, FindOldReplicaSets.
void RolloutState::find_new_set(std::vector<ReplicaSet> owned) {
  std::vector<SetFacts> read;
  std::vector<std::size_t> order;
  for (const ReplicaSet& set : owned) {
    order.push_back(read.size());
    read.push_back(read_set(set));
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return created_before(read[a], read[b]); });
  const Value wanted = deployment.pod_template();
  const auto match = std::find_if(order.begin(), order.end(), [&](std::size_t i) {
    return equal_templates(owned[i].pod_template(), wanted);
  });
  if (match != order.end()) {
    std::rotate(match, match + 1, order.end());
    has_new = true;
  }
  for (const std::size_t i : order) {
    sets.push_back(own(owned[i]));
    facts.push_back(read[i]);
  }
}

std::int64_t RolloutState::wanted() const {
  std::int64_t sum = 0;
  for (const SetFacts& set : facts) sum += set.wanted;
  return sum;
}

OwnedSet RolloutState::own(const ReplicaSet& set) const {
  const bool is_marked = set.annotation(kDesiredReplicas) == std::to_string(rollout.replicas) &&
                         set.annotation(kMaxReplicas) == std::to_string(rollout.replicas_max());
  return {set, std::string(set.resource_version()), set.replicas(), is_marked};
}

}  // namespace davit::deployment
