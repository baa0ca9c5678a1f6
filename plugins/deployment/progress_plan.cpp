#include "plugins/deployment/progress_plan.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <utility>

namespace davit::deployment {
namespace {

std::string message(const Progress& progress, std::string_view rest) {
  return std::string(progress.subject).append(rest);
}

/// When the progress clock of `condition` runs out; nothing when its time cannot be read.
std::optional<WallTime> deadline_of(const RolloutFacts& rollout, const Condition& condition) {
  if (!condition.last_update_time) return std::nullopt;
  return *condition.last_update_time + std::chrono::seconds(*rollout.progress_deadline_seconds);
}

bool is_timed_out(const RolloutFacts& rollout, const Condition* condition, WallTime now) {
  if (condition == nullptr || condition->reason == kNewSetAvailable) return false;
  if (condition->reason == kDeadlineExceeded) return true;
  const std::optional<WallTime> deadline = deadline_of(rollout, *condition);
  return !mutant("progress-deadline") && (!deadline || *deadline < now);
}

bool has_progressed(const DeploymentStatus& before, const DeploymentStatus& next) {
  const std::int64_t outdated_before = before.replicas - before.updated;
  const std::int64_t outdated = next.replicas - next.updated;
  return next.updated > before.updated || outdated < outdated_before || next.ready > before.ready ||
         next.available > before.available;
}

/// Restarts the clock even when status and reason stay: this is how lastUpdateTime moves.
void renew(const Progress& progress, DeploymentStatus& next) {
  Condition updated = make_condition(kProgressing, "True", kSetUpdated,
                                     message(progress, " is progressing."), progress.now);
  const Condition* current = progress.before.conditions.find(kProgressing);
  if (current != nullptr && current->status == "True") {
    updated.last_transition_time = current->last_transition_time;
  }
  next.conditions.remove(kProgressing);
  next.conditions.append(std::move(updated));
}

}  // namespace

bool is_complete(const RolloutFacts& rollout, const DeploymentStatus& status) {
  return status.updated == rollout.replicas && status.replicas == rollout.replicas &&
         status.available == rollout.replicas && status.observed_generation >= rollout.generation;
}

void mark_pause(const RolloutFacts& rollout, Pace pace, DeploymentStatus& status, WallTime now) {
  const std::string_view reason = status.reason(kProgressing);
  if (!rollout.progress_deadline_seconds || reason == kDeadlineExceeded) return;
  if (pace == Pace::kPaused && reason != kPausedReason) {
    status.conditions.set(
        make_condition(kProgressing, "Unknown", kPausedReason, "Deployment is paused", now));
  } else if (pace == Pace::kRunning && reason == kPausedReason) {
    status.conditions.set(
        make_condition(kProgressing, "Unknown", kResumedReason, "Deployment is resumed", now));
  }
}

void mark_progress(const RolloutFacts& rollout, const Progress& progress, DeploymentStatus& next) {
  if (!rollout.progress_deadline_seconds) {
    next.conditions.remove(kProgressing);
    return;
  }
  const bool was_done =
      next.replicas == next.updated && progress.before.reason(kProgressing) == kNewSetAvailable;
  if (was_done) return;
  if (is_complete(rollout, next)) {
    next.conditions.set(make_condition(kProgressing, "True", kNewSetAvailable,
                                       message(progress, " has successfully progressed."),
                                       progress.now));
  } else if (has_progressed(progress.before, next)) {
    renew(progress, next);
  } else if (is_timed_out(rollout, next.conditions.find(kProgressing), progress.now)) {
    next.conditions.set(make_condition(kProgressing, "False", kDeadlineExceeded,
                                       message(progress, " has timed out progressing."),
                                       progress.now));
  }
}

void mark_replica_failure(std::optional<Condition> failure, DeploymentStatus& next) {
  if (!failure) {
    next.conditions.remove(kReplicaFailure);
    return;
  }
  failure->last_update_time = failure->last_transition_time;
  next.conditions.set(*std::move(failure));
}

std::optional<Duration> next_check(const RolloutFacts& rollout, const DeploymentStatus& stored,
                                   const DeploymentStatus& next, WallTime now) {
  const Condition* condition = stored.conditions.find(kProgressing);
  if (!rollout.progress_deadline_seconds || condition == nullptr) return std::nullopt;
  if (is_complete(rollout, next)) return std::nullopt;
  if (condition->reason == kDeadlineExceeded || condition->reason == kNewSetAvailable) {
    return std::nullopt;
  }
  const std::optional<WallTime> deadline = deadline_of(rollout, *condition);
  if (!deadline) return std::nullopt;
  const Duration left = *deadline - now;
  // The clock has run out once it is past the deadline, not at it.
  constexpr Duration kPast = std::chrono::milliseconds(5);
  if (left < std::chrono::seconds(1)) return std::max(left, Duration(0)) + kPast;
  return left + std::chrono::seconds(1);
}

}  // namespace davit::deployment
