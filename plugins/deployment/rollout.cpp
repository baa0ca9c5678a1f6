#include "plugins/deployment/rollout.hpp"

#include <algorithm>
#include <utility>

#include "plugins/deployment/annotations.hpp"
#include "plugins/deployment/progress_plan.hpp"
#include "plugins/deployment/rolling_plan.hpp"
#include "plugins/deployment/snapshot.hpp"
#include "plugins/deployment/template_equality.hpp"

namespace davit::deployment {

Rollout::Rollout(const Cluster& cluster, const Deployment& deployment,
                 std::vector<ReplicaSet> owned, WallTime now)
    : cluster_(cluster),
      deployment_(deployment),
      now_(now),
      rollout_(read_rollout_leniently(deployment)),
      limits_(read_rollout(deployment).error()),
      version_(deployment.resource_version()),
      stored_(read_status(deployment)),
      status_(stored_) {
  find_new_set(std::move(owned));
}

/// The oldest set with the Deployment's template is the new one; every other set is old, a younger
/// twin too. Upstream: FindNewReplicaSet, FindOldReplicaSets.
void Rollout::find_new_set(std::vector<ReplicaSet> owned) {
  std::vector<SetFacts> facts;
  std::vector<std::size_t> order;
  for (const ReplicaSet& set : owned) {
    order.push_back(facts.size());
    facts.push_back(read_set(set));
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return created_before(facts[a], facts[b]); });
  const Value wanted = deployment_.pod_template();
  const auto match = std::find_if(order.begin(), order.end(), [&](std::size_t i) {
    return equal_templates(owned[i].pod_template(), wanted);
  });
  if (match != order.end()) {
    std::rotate(match, match + 1, order.end());
    has_new_ = true;
  }
  for (const std::size_t i : order) {
    sets_.push_back(own(owned[i]));
    facts_.push_back(facts[i]);
  }
}

Rollout::OwnedSet Rollout::own(const ReplicaSet& set) const {
  const bool is_marked = set.annotation(kDesiredReplicas) == std::to_string(rollout_.replicas) &&
                         set.annotation(kMaxReplicas) == std::to_string(rollout_.replicas_max());
  return {set, std::string(set.resource_version()), set.replicas(), is_marked};
}

Result<Again> Rollout::run() {
  Result<Again> again = step();
  if (!again && again.error().code() != Code::kCancelled && has_pending_edits()) {
    // The error is what counts; edits that cannot be written either are made again by the retry.
    static_cast<void>(write_status(status_));
  }
  return again;
}

/// The order is upstream's syncDeployment. Work that upstream does twice, for the scaling test and
/// for the rollout step, happens once here, since its first result is kept.
Result<Again> Rollout::step() {
  if (deployment_.is_being_deleted()) {
    if (Status s = refresh_new_set(); !s.ok()) return s;
    return report_counts();
  }
  mark_pause(rollout_, deployment_.is_paused() ? Pace::kPaused : Pace::kRunning, status_, now_);
  if (Status s = refresh_new_set(); !s.ok()) return s;
  if (deployment_.is_paused()) return scale_and_report();
  if (const std::optional<std::int64_t> revision = rollback_request()) return roll_back(*revision);
  if (is_scaling_event(rollout_, sets())) return scale_and_report();

  switch (rollout_.strategy) {
    case Strategy::kRollingUpdate:
      return roll();
    case Strategy::kRecreate:
      return recreate();
    case Strategy::kUnknown:
      break;
  }
  return Status(Code::kInvalid,
                "unexpected deployment strategy type: " + std::string(deployment_.strategy_type()));
}

/// One step of a rolling update: the new set grows or the old ones shrink, never both in one sync.
Result<Again> Rollout::roll() {
  if (!limits_.ok()) return limits_;
  if (Status s = ensure_new_set(); !s.ok()) return s;

  std::int64_t total = 0;
  for (const SetFacts& set : facts_) total += set.wanted;
  const std::int64_t target = new_set_size(rollout_, total, facts_.back().wanted);
  const Result<bool> grown =
      resize(new_set(), std::min(target, rollout_.replicas), Marking::kWithSize);
  if (!grown) return grown.error();
  if (*grown) return report();

  const Result<bool> shrunk = resize_all(plan_old_scale_down(rollout_, sets()), Marking::kWithSize);
  if (!shrunk) return report_in_spite_of(shrunk.error());
  if (*shrunk) return report();

  if (is_complete(rollout_, status_)) {
    if (Status s = clean_up_history(); !s.ok()) return s;
  }
  return report();
}

/// Recreate: no new pod before the last old one is gone.
Result<Again> Rollout::recreate() {
  std::vector<Resize> to_zero;
  for (std::size_t i = 0; i < sets().old().size(); ++i) {
    if (facts_[i].wanted > 0) to_zero.push_back({i, 0});
  }
  const Result<bool> shrunk = resize_all(to_zero, Marking::kWithSize);
  if (!shrunk) return shrunk.error();
  if (*shrunk || has_old_pods()) return report();

  if (Status s = ensure_new_set(); !s.ok()) return s;
  const Result<bool> grown = resize(new_set(), rollout_.replicas, Marking::kWithSize);
  if (!grown) return grown.error();
  if (is_complete(rollout_, status_)) {
    if (Status s = clean_up_history(); !s.ok()) return s;
  }
  return report();
}

/// Pods that may still run count, whatever their set's status says about them already.
bool Rollout::has_old_pods() const {
  const std::span<const SetFacts> old = sets().old();
  if (std::any_of(old.begin(), old.end(), [](const SetFacts& s) { return s.existing > 0; })) {
    return true;
  }
  for (std::size_t i = 0; i < old.size(); ++i) {
    for (const Pod& pod : cluster_.pods.by_controller(sets_[i].snapshot.uid())) {
      if (!pod.is_finished()) return true;
    }
  }
  return false;
}

}  // namespace davit::deployment
