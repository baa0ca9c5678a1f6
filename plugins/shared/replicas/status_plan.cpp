#include "plugins/shared/replicas/status_plan.hpp"

namespace davit::replicas {

bool counts_differ(const ReplicaCounts& current, const ReplicaCounts& wanted,
                   TerminatingField field) {
  if (field != TerminatingField::kDropped || current.terminating) return current != wanted;
  ReplicaCounts without = wanted;
  without.terminating.reset();
  return current != without;
}

ReplicaCounts count_replicas(std::span<const PodState> active) {
  ReplicaCounts counts;
  counts.replicas = static_cast<std::int64_t>(active.size());
  for (const PodState& pod : active) {
    if (pod.fully_labeled) ++counts.fully_labeled;
    if (pod.ready) ++counts.ready;
    if (pod.available) ++counts.available;
  }
  return counts;
}

FailureChange plan_failure(ScaleOutcome outcome, FailureShown shown) {
  if (outcome == ScaleOutcome::kFailed) {
    return shown == FailureShown::kYes ? FailureChange::kKeep : FailureChange::kAdd;
  }
  const bool ends = outcome == ScaleOutcome::kSucceeded && shown == FailureShown::kYes;
  return ends ? FailureChange::kRemove : FailureChange::kKeep;
}

std::string_view failure_reason(std::size_t active, std::int64_t wanted) {
  return static_cast<std::int64_t>(active) < wanted ? "FailedCreate" : "FailedDelete";
}

}  // namespace davit::replicas
