#include "plugins/shared/replicas/status_plan.hpp"

#include <davit/mutant.hpp>

namespace davit::replicas {

bool counts_differ(const ReplicaCounts& current, const ReplicaCounts& wanted,
                   TerminatingField field) {
  if (field != TerminatingField::kDropped || current.terminating) return current != wanted;
  ReplicaCounts without = wanted;
  without.terminating.reset();
  return current != without;
}

bool is_available(const PodState& pod, std::chrono::seconds min_ready, WallTime now) {
  if (!pod.ready) return false;
  if (min_ready <= std::chrono::seconds::zero() || mutant("min-ready")) return true;
  return pod.ready_since && *pod.ready_since + min_ready <= now;
}

ReplicaCounts count_replicas(std::span<const PodState> active, std::chrono::seconds min_ready,
                             WallTime now) {
  ReplicaCounts counts;
  counts.replicas = static_cast<std::int64_t>(active.size());
  for (const PodState& pod : active) {
    if (pod.fully_labeled) ++counts.fully_labeled;
    if (pod.ready) ++counts.ready;
    if (is_available(pod, min_ready, now)) ++counts.available;
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

std::optional<WallTime> next_available_at(std::span<const PodState> active,
                                          std::chrono::seconds min_ready, WallTime now) {
  std::optional<WallTime> next;
  for (const PodState& pod : active) {
    if (!pod.ready || !pod.ready_since) continue;
    const WallTime at = *pod.ready_since + min_ready;
    if (at > now && (!next || at < *next)) next = at;
  }
  return next;
}

}  // namespace davit::replicas
