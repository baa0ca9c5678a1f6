#include "plugins/deployment/status_report.hpp"

#include <chrono>
#include <utility>

#include "plugins/deployment/annotations.hpp"
#include "plugins/deployment/progress_plan.hpp"

namespace davit::deployment {

std::string StatusReport::subject() const {
  if (state_.has_new) return "ReplicaSet \"" + std::string(state_.facts.back().name) + "\"";
  return "Deployment \"" + std::string(state_.deployment.name()) + "\"";
}

/// The new set's failure, or else the first one of any set.
std::optional<Condition> StatusReport::replica_failure() const {
  const auto failure_of = [](const OwnedSet& set) -> std::optional<Condition> {
    const std::optional<ConditionView> found = set.snapshot.condition(kReplicaFailure);
    if (!found) return std::nullopt;
    return Condition::from(*found);
  };
  if (state_.has_new) {
    if (std::optional<Condition> failure = failure_of(state_.sets.back())) return failure;
  }
  for (const OwnedSet& set : state_.sets) {
    if (std::optional<Condition> failure = failure_of(set)) return failure;
  }
  return std::nullopt;
}

Result<Again> StatusReport::counts() {
  const DeploymentStatus next =
      plan_status(state_.rollout, state_.list(), edits_.status(), state_.now);
  const Result<Duration> wait = write(next);
  if (!wait) return wait.error();
  return *wait > Duration::zero() ? Again::after(*wait) : Again::when_changed();
}

Result<Duration> StatusReport::write(const DeploymentStatus& next) {
  const bool has_revision = edits_.has_revision();
  if (!has_revision && !status_changed(edits_.stored(), next, state_.list())) {
    return Duration::zero();
  }
  const Key key = state_.deployment.key();
  WriteWindow& window = state_.cluster.status_window;
  if (!has_revision && !shows_decision(edits_.stored(), next)) {
    const Duration wait = window.wait(key, state_.began);
    if (wait > Duration::zero()) return wait;
  }
  if (Status s = edits_.write(next); !s.ok()) return s;
  window.wrote(key, state_.began);
  return Duration::zero();
}

Result<Again> StatusReport::progress() {
  DeploymentStatus next = plan_status(state_.rollout, state_.list(), edits_.status(), state_.now);
  const std::string about = subject();
  mark_progress(state_.rollout, {edits_.status(), about, state_.now}, next);
  mark_replica_failure(replica_failure(), next);
  const std::string before = edits_.version();
  const Result<Duration> wait = write(next);
  if (!wait) return wait.error();
  if (*wait > Duration::zero()) return Again::after(*wait);
  // The change arrives as an event and queues the key, unless the server saw none.
  if (edits_.version() != before) return Again::when_changed();
  const std::optional<Duration> check =
      next_check(state_.rollout, edits_.stored(), next, state_.now);
  return check ? Again::after(*check) : Again::when_changed();
}

Result<Again> StatusReport::progress_in_spite_of(const Status& error) {
  if (error.code() == Code::kCancelled) return error;
  const Result<Again> reported = progress();
  if (reported && *reported != Again::when_changed()) {
    state_.cluster.queue.add_after(state_.deployment.key(),
                                   std::chrono::milliseconds(reported->after_ms()));
  }
  return error;
}

}  // namespace davit::deployment
