/// From snapshots to the facts that the rules decide on.
#pragma once

#include <davit/kube/deployment.hpp>
#include <davit/kube/replica_set.hpp>

#include "plugins/deployment/facts.hpp"
#include "plugins/deployment/status_plan.hpp"

namespace davit::deployment {

/// Fails for limits that are neither a number nor a percentage; validation keeps them out.
[[nodiscard]] Result<RolloutFacts> read_rollout(const Deployment& deployment);

/// The same, with unreadable limits as 0, for everything except a rollout step.
[[nodiscard]] RolloutFacts read_rollout_leniently(const Deployment& deployment);

[[nodiscard]] DeploymentStatus read_status(const Deployment& deployment);

/// `name` in the result lives as long as the snapshot.
[[nodiscard]] SetFacts read_set(const ReplicaSet& set);

}  // namespace davit::deployment
