#include "plugins/deployment/snapshot.hpp"

#include <algorithm>

#include "plugins/deployment/annotations.hpp"
#include "plugins/deployment/limits.hpp"

namespace davit::deployment {
namespace {

Result<WantedLimits> read_limits(const Deployment& deployment) {
  const Result<IntOrPercent> surge = read_limit(deployment.max_surge());
  if (!surge) return surge.error();
  const Result<IntOrPercent> unavailable = read_limit(deployment.max_unavailable());
  if (!unavailable) return unavailable.error();
  return WantedLimits{*surge, *unavailable};
}

Strategy read_strategy(std::string_view type) {
  if (type == "RollingUpdate") return Strategy::kRollingUpdate;
  return type == "Recreate" ? Strategy::kRecreate : Strategy::kUnknown;
}

std::optional<std::int64_t> unless_unlimited(std::optional<std::int64_t> number) {
  return number == kUnlimited ? std::nullopt : number;
}

RolloutFacts read_all_but_limits(const Deployment& deployment) {
  RolloutFacts facts;
  facts.strategy = read_strategy(deployment.strategy_type());
  facts.replicas = deployment.replicas();
  facts.generation = deployment.generation();
  if (const auto deadline = deployment.progress_deadline()) {
    facts.progress_deadline_seconds = unless_unlimited(deadline->count());
  }
  facts.history_limit = unless_unlimited(deployment.revision_history_limit());
  return facts;
}

std::optional<std::int64_t> read_replicas(const ReplicaSet& set, std::string_view annotation) {
  return parse_replicas(set.annotation(annotation).value_or(""));
}

}  // namespace

Result<RolloutFacts> read_rollout(const Deployment& deployment) {
  RolloutFacts facts = read_all_but_limits(deployment);
  if (facts.strategy != Strategy::kRollingUpdate) return facts;
  const Result<WantedLimits> wanted = read_limits(deployment);
  if (!wanted) return wanted.error();
  const Limits limits = resolve_limits(*wanted, facts.replicas);
  facts.surge = limits.surge;
  facts.unavailable = std::min(limits.unavailable, facts.replicas);
  return facts;
}

RolloutFacts read_rollout_leniently(const Deployment& deployment) {
  const Result<RolloutFacts> facts = read_rollout(deployment);
  return facts ? *facts : read_all_but_limits(deployment);
}

DeploymentStatus read_status(const Deployment& deployment) {
  DeploymentStatus status;
  status.observed_generation = deployment.observed_generation();
  status.replicas = deployment.status_replicas();
  status.updated = deployment.updated_replicas();
  status.ready = deployment.ready_replicas();
  status.available = deployment.available_replicas();
  status.unavailable = deployment.unavailable_replicas();
  status.terminating = deployment.terminating_replicas();
  status.collision_count = deployment.collision_count();
  status.conditions = ConditionList(deployment.conditions());
  return status;
}

SetFacts read_set(const ReplicaSet& set) {
  SetFacts facts;
  facts.name = set.name();
  facts.created_seconds =
      std::chrono::floor<std::chrono::seconds>(set.creation_time().value_or(WallTime()))
          .time_since_epoch()
          .count();
  facts.deleting = set.is_being_deleted();
  facts.generation = set.generation();
  facts.observed_generation = set.observed_generation();
  facts.wanted = set.replicas();
  facts.existing = set.status_replicas();
  facts.ready = set.ready_replicas();
  facts.available = set.available_replicas();
  facts.terminating = set.terminating_replicas();
  facts.revision = parse_revision(set.annotation(kRevision).value_or(""));
  facts.desired_marked = read_replicas(set, kDesiredReplicas);
  facts.max_marked = read_replicas(set, kMaxReplicas);
  return facts;
}

}  // namespace davit::deployment
