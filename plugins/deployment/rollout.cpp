#include "plugins/deployment/rollout.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "plugins/deployment/progress_plan.hpp"
#include "plugins/deployment/rolling_plan.hpp"
#include "plugins/deployment/scale_plan.hpp"

namespace davit::deployment {

Rollout::Rollout(const Cluster& cluster, const Deployment& deployment,
                 std::vector<ReplicaSet> owned, const Instant& now)
    : state_(cluster, deployment, std::move(owned), now) {}

Result<Again> Rollout::run() {
  Result<Again> again = step();
  if (!again && again.error().code() != Code::kCancelled && edits_.pending()) {
    // The error is what counts; edits that cannot be written either are made again by the retry.
    static_cast<void>(edits_.flush());
  }
  return again;
}

/// The order is upstream's syncDeployment. Work that upstream does twice, for the scaling test and
/// for the rollout step, happens once here, since its first result is kept.
Result<Again> Rollout::step() {
  if (state_.deployment.is_being_deleted()) {
    if (Status s = new_set_.refresh(); !s.ok()) return s;
    return report_.counts();
  }
  mark_pause(state_.rollout, state_.deployment.is_paused() ? Pace::kPaused : Pace::kRunning,
             edits_.status(), state_.now);
  if (Status s = new_set_.refresh(); !s.ok()) return s;
  if (state_.deployment.is_paused()) return scale_and_report();
  if (const std::optional<std::int64_t> revision = rollback_.requested()) {
    return rollback_.run(*revision);
  }
  if (is_scaling_event(state_.rollout, state_.list())) return scale_and_report();

  switch (state_.rollout.strategy) {
    case Strategy::kRollingUpdate:
      return roll();
    case Strategy::kRecreate:
      return recreate();
    case Strategy::kUnknown:
      break;
  }
  return Status(Code::kInvalid, "unexpected deployment strategy type: " +
                                    std::string(state_.deployment.strategy_type()));
}

/// One step of a rolling update: the new set grows or the old ones shrink, never both in one sync.
Result<Again> Rollout::roll() {
  if (!state_.limits.ok()) return state_.limits;
  if (Status s = new_set_.ensure(); !s.ok()) return s;

  const std::int64_t target =
      new_set_size(state_.rollout, state_.wanted(), state_.facts.back().wanted);
  const Result<bool> grown = scaler_.resize(
      state_.new_set(), std::min(target, state_.rollout.replicas), Marking::kWithSize);
  if (!grown) return grown.error();
  if (*grown) return report_.progress();

  const Result<bool> shrunk =
      scaler_.resize_all(plan_old_scale_down(state_.rollout, state_.list()), Marking::kWithSize);
  if (!shrunk) return report_.progress_in_spite_of(shrunk.error());
  if (*shrunk) return report_.progress();

  if (is_complete(state_.rollout, edits_.status())) {
    if (Status s = scaler_.clean_up_history(); !s.ok()) return s;
  }
  return report_.progress();
}

/// Recreate: no new pod before the last old one is gone.
Result<Again> Rollout::recreate() {
  std::vector<Resize> to_zero;
  for (std::size_t i = 0; i < state_.list().old().size(); ++i) {
    if (state_.facts[i].wanted > 0) to_zero.push_back({i, 0});
  }
  const Result<bool> shrunk = scaler_.resize_all(to_zero, Marking::kWithSize);
  if (!shrunk) return shrunk.error();
  if (*shrunk || has_old_pods()) return report_.progress();

  if (Status s = new_set_.ensure(); !s.ok()) return s;
  const Result<bool> grown =
      scaler_.resize(state_.new_set(), state_.rollout.replicas, Marking::kWithSize);
  if (!grown) return grown.error();
  if (is_complete(state_.rollout, edits_.status())) {
    if (Status s = scaler_.clean_up_history(); !s.ok()) return s;
  }
  return report_.progress();
}

/// Pods that may still run count, whatever their set's status says about them already.
bool Rollout::has_old_pods() const {
  const std::span<const SetFacts> old = state_.list().old();
  if (std::any_of(old.begin(), old.end(), [](const SetFacts& s) { return s.existing > 0; })) {
    return true;
  }
  for (std::size_t i = 0; i < old.size(); ++i) {
    for (const Pod& pod : state_.cluster.pods.controlled_by(state_.sets[i].snapshot)) {
      if (!pod.is_finished()) return true;
    }
  }
  return false;
}

/// For a Deployment that is paused or was scaled: sizes change, templates do not. Upstream: sync.
Result<Again> Rollout::scale_and_report() {
  const ScalePlan plan = plan_scale(state_.rollout, state_.list(), edits_.status().replicas);
  const Result<bool> resized = scaler_.resize_all(plan.resizes, plan.marking);
  if (!resized) return resized.error();
  if (state_.deployment.is_paused() && !rollback_.requested()) {
    if (Status s = scaler_.clean_up_history(); !s.ok()) return s;
  }
  return report_.counts();
}

}  // namespace davit::deployment
