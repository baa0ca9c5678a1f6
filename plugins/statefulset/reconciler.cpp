#include "plugins/statefulset/reconciler.hpp"

#include <algorithm>
#include <davit/controller_ref_manager.hpp>
#include <davit/slow_start.hpp>
#include <utility>

namespace davit::statefulset {
namespace {

/// The most pods that parallel management works on at once, as upstream.
constexpr std::size_t kBatchMax = 500;
/// The most pods that one sync of a parallel set creates, so that a set with a billion replicas
/// neither fills the memory nor keeps its worker. The pods' arrival brings the next sync.
constexpr std::size_t kBurst = 500;

/// slow_start() with all errors of the last batch.
template <typename RunBatch>
Status in_batches(std::size_t count, const RunBatch& run_batch) {
  std::vector<Status> errors;
  const SlowStartOutcome outcome = slow_start(
      count,
      [&](std::size_t first, std::size_t size) {
        std::vector<Status> results = run_batch(first, size);
        for (const Status& each : results) {
          if (!each.ok()) errors.push_back(each);
        }
        return results;
      },
      kBatchMax);
  return outcome.error.ok() ? Status() : join_errors(errors);
}

}  // namespace

Reconciler::Reconciler(const PodControl& control, const ReconcileInput& input)
    : control_(control),
      input_(input),
      range_(range_of(input.set)),
      management_(input.set.is_parallel() ? Management::kParallel : Management::kOrdered) {
  for (const Pod& each : input.pods) {
    const PodState state = pod_state(each, input.set.min_ready(), input.now);
    candidates_.push_back({state, each.name() == pod_name(input.set.name(), state.ordinal)});
  }
  line_ = line_up(candidates_, range_);
}

ReconcileOutcome Reconciler::run() {
  ReconcileOutcome outcome;
  outcome.status.current_revision = input_.current.name;
  outcome.status.update_revision = input_.update.name;
  std::vector<PodState> counted;
  if (input_.set.is_being_deleted()) {
    for (const Candidate& each : candidates_) counted.push_back(each.state);
  } else {
    outcome.error = work(outcome);
    for (const auto& [index, position] : line_.replicas) {
      counted.push_back(candidates_[position].state);
    }
    for (const std::size_t each : line_.condemned) counted.push_back(candidates_[each].state);
  }
  count_pods(counted, outcome.status);
  // A third revision in play lowers a count that the pod was not in, which the server refuses.
  outcome.status.current = std::max<std::int64_t>(outcome.status.current, 0);
  return outcome;
}

/// Leaves minus the number of pods deleted for the update in status.current, which the count is
/// added to.
Status Reconciler::work(ReconcileOutcome& outcome) {
  const Step maintained = management_ == Management::kParallel ? replicas_at_once() : replicas();
  if (!maintained.status.ok() || maintained.flow == Flow::kEnd) return maintained.status;
  if (Status s = condemned_claims(); !s.ok()) return s;
  const Step scaled = condemned_pods();
  if (!scaled.status.ok() || scaled.flow == Flow::kEnd) return scaled.status;
  return update(outcome);
}

Reconciler::Step Reconciler::replicas() {
  for (std::int64_t index = 0; index < range_.count; ++index) {
    Step step = maintain({&index, 1}).front();
    if (!step.status.ok() || step.flow == Flow::kEnd) return step;
  }
  return {};
}

Reconciler::Step Reconciler::replicas_at_once() {
  std::vector<std::int64_t> indexes;
  std::size_t created = 0;
  for (std::int64_t index = 0; index < range_.count && created < kBurst; ++index) {
    if (!state_at(index).is_created()) ++created;
    indexes.push_back(index);
  }
  Status status = in_batches(indexes.size(), [&](std::size_t first, std::size_t size) {
    std::vector<Status> results;
    for (Step& each : maintain(std::span(indexes).subspan(first, size))) {
      results.push_back(std::move(each.status));
    }
    return results;
  });
  const bool is_complete = static_cast<std::int64_t>(indexes.size()) == range_.count;
  return {std::move(status), is_complete ? Flow::kContinue : Flow::kEnd};
}

std::vector<Reconciler::Step> Reconciler::maintain(std::span<const std::int64_t> indexes) const {
  using Act = ReplicaPlan::Act;
  std::vector<Step> steps(indexes.size());
  std::vector<ReplicaPlan> plans;
  std::vector<NewPod> created;
  std::vector<std::string> removed;
  std::vector<Pod> pending;
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    const std::int64_t index = indexes[i];
    ReplicaPlan plan = plan_replica(state_at(index), management_);
    if (plan.act == Act::kCreate && control_.has_stale_claims(input_.set, name_at(index))) {
      plan.act = Act::kWait;
    }
    if (plan.act == Act::kRemove) removed.push_back(name_at(index));
    if (plan.act == Act::kCreate) {
      created.push_back({.ordinal = range_.first + index, .version = version_for(index)});
    }
    if (plan.completes_claims) pending.push_back(input_.pods[line_.replicas.at(index)]);
    if (plan.act != Act::kRefresh) steps[i].flow = Flow::kEnd;
    plans.push_back(plan);
  }
  const auto take = [&](std::vector<Status> results, const auto& concerns) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (concerns(plans[i])) steps[i].status = std::move(results[next++]);
    }
  };
  take(control_.remove(input_.set, removed),
       [](const ReplicaPlan& plan) { return plan.act == Act::kRemove; });
  take(control_.create(input_.set, created),
       [](const ReplicaPlan& plan) { return plan.act == Act::kCreate; });
  take(control_.complete_claims(input_.set, pending),
       [](const ReplicaPlan& plan) { return plan.completes_claims; });
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].act != Act::kRefresh || !steps[i].status.ok()) continue;
    steps[i].status = control_.refresh(input_.set, input_.pods[line_.replicas.at(indexes[i])]);
  }
  return steps;
}

Status Reconciler::condemned_claims() const {
  std::vector<Pod> pods;
  for (const std::size_t each : line_.condemned) pods.push_back(input_.pods[each]);
  if (management_ == Management::kParallel) {
    return in_batches(pods.size(), [&](std::size_t first, std::size_t size) {
      return control_.fix_claims(input_.set, std::span(pods).subspan(first, size));
    });
  }
  for (const Pod& each : pods) {
    if (Status s = control_.fix_claims(input_.set, {&each, 1}).front(); !s.ok()) return s;
  }
  return {};
}

Reconciler::Step Reconciler::condemned_pods() const {
  std::vector<std::string> removed;
  for (const std::size_t each : line_.condemned) {
    const CondemnedAct act =
        plan_condemned(candidates_[each].state, line_.first_unhealthy, management_);
    if (act == CondemnedAct::kWait) return {.flow = Flow::kEnd};
    if (act == CondemnedAct::kSkip) continue;
    removed.emplace_back(input_.pods[each].name());
    if (management_ == Management::kOrdered) {
      return {control_.remove(input_.set, removed).front(), Flow::kEnd};
    }
  }
  return {.status = in_batches(removed.size(), [&](std::size_t first, std::size_t size) {
            return control_.remove(input_.set, std::span(removed).subspan(first, size));
          })};
}

Status Reconciler::update(ReconcileOutcome& outcome) const {
  std::vector<UpdateCandidate> places;
  std::int64_t unavailable = 0;
  for (std::int64_t index = 0; index < range_.count; ++index) {
    const PodState state = state_at(index);
    places.push_back({.revision = state.is_created() ? state.revision : version_for(index).name,
                      .terminating = state.terminating,
                      .unavailable = state.is_unavailable()});
    if (places.back().unavailable) ++unavailable;
  }
  if (!input_.strategy.on_delete) outcome.unavailable = unavailable;
  for (const std::int64_t each : plan_update(places, input_.update.name, input_.strategy)) {
    const std::string name = name_at(each);
    if (Status s = control_.remove(input_.set, {&name, 1}).front(); !s.ok()) return s;
    --outcome.status.current;
  }
  return {};
}

PodState Reconciler::state_at(std::int64_t index) const {
  const auto found = line_.replicas.find(index);
  return found == line_.replicas.end() ? PodState() : candidates_[found->second].state;
}

const Version& Reconciler::version_for(std::int64_t index) const {
  const std::int64_t current = read_status(input_.set.status()).current;
  return uses_current(input_.strategy, range_, range_.first + index, current) ? input_.current
                                                                              : input_.update;
}

std::string Reconciler::name_at(std::int64_t index) const {
  const auto found = line_.replicas.find(index);
  return found == line_.replicas.end() ? pod_name(input_.set.name(), range_.first + index)
                                       : std::string(input_.pods[found->second].name());
}

}  // namespace davit::statefulset
