#include "plugins/shared/replicas/status_writer.hpp"

#include <davit/json_writer.hpp>
#include <davit/mutant.hpp>

namespace davit::replicas {
namespace {

void write_conditions(const ReplicaSet& set, const StatusPlan& plan, JsonWriter& body) {
  body.key("conditions").begin_array();
  bool has_failure = false;
  for (const Value each : set.conditions().elements()) {
    const bool is_failure = ConditionView(each).type() == kReplicaFailure;
    if (is_failure && plan.failure == FailureChange::kRemove) continue;
    has_failure = has_failure || is_failure;
    body.value(each);
  }
  if (plan.failure == FailureChange::kAdd && !has_failure) {
    body.begin_object().member("type", kReplicaFailure).member("status", "True");
    body.member("lastTransitionTime", format_time(plan.now));
    body.member("reason", plan.failure_reason).member("message", plan.failure_message);
    body.end_object();
  }
  body.end_array();
}

}  // namespace

TerminatingField TerminatingSupport::of(const ReplicaSet& set) const {
  if (mode_ == Mode::kOn) return TerminatingField::kStored;
  if (mode_ == Mode::kOff) return TerminatingField::kDropped;
  if (set.terminating_replicas()) return TerminatingField::kStored;
  return found_.load(std::memory_order_relaxed);
}

TerminatingSupport::Observed TerminatingSupport::observe_cached(const ReplicaSet& set) {
  if (mode_ != Mode::kAuto || !set.terminating_replicas()) return Observed::kNone;
  const TerminatingField before =
      found_.exchange(TerminatingField::kStored, std::memory_order_relaxed);
  return before == TerminatingField::kDropped ? Observed::kStoredNow : Observed::kNone;
}

void TerminatingSupport::observe(const ReplicaSet& response) {
  found_.store(
      response.terminating_replicas() ? TerminatingField::kStored : TerminatingField::kDropped,
      std::memory_order_relaxed);
}

ReplicaCounts current_counts(const ReplicaSet& set) {
  return {.replicas = set.status_replicas(),
          .fully_labeled = set.fully_labeled_replicas(),
          .ready = set.ready_replicas(),
          .available = set.available_replicas(),
          .terminating = set.terminating_replicas()};
}

std::string status_patch(const ReplicaSet& set, const StatusPlan& plan,
                         std::int64_t observed_generation) {
  JsonWriter body;
  body.begin_object().key("metadata").begin_object();
  // No other client writes the counters, and after a conflict they would be written all the same.
  // The Deployment's controller changes the spec at the same time, which is no reason for a
  // conflict. Conditions are one array, which others write, too.
  if (plan.failure == FailureChange::kKeep && !mutant("status-by-version")) {
    body.member("uid", set.uid()).end_object();
  } else {
    body.member("resourceVersion", set.resource_version()).end_object();
  }
  body.key("status").begin_object();
  body.member("replicas", plan.counts.replicas);
  body.member("fullyLabeledReplicas", plan.counts.fully_labeled);
  body.member("readyReplicas", plan.counts.ready);
  body.member("availableReplicas", plan.counts.available);
  if (plan.counts.terminating) {
    body.member("terminatingReplicas", *plan.counts.terminating);
  } else if (set.terminating_replicas()) {
    body.key("terminatingReplicas").null();
  }
  body.member("observedGeneration", observed_generation);
  if (plan.failure != FailureChange::kKeep) write_conditions(set, plan, body);
  body.end_object().end_object();
  return std::move(body).text();
}

template <typename Set>
typename StatusWriter<Set>::Change StatusWriter<Set>::change(const Set& set,
                                                             const StatusPlan& plan) const {
  if (plan.failure != FailureChange::kKeep || set.observed_generation() != set.generation()) {
    return Change::kDecision;
  }
  const bool same_counts = !counts_differ(current_counts(set), plan.counts, support_.of(set));
  return same_counts && !mutant("same-status") ? Change::kNone : Change::kCounts;
}

template <typename Set>
Status StatusWriter<Set>::write(const Set& set, const StatusPlan& plan) const {
  const Status first = patch(set, plan, set.generation());
  if (first.ok()) return first;
  const Result<Set> live = client_.template get<Set>(set.key());
  if (!live) return live.error();
  // Upstream writes to any set of this name; here a recreated set gets its own status.
  if (live->uid() != set.uid()) return first;
  return patch(*live, plan, set.generation());
}

template <typename Set>
Status StatusWriter<Set>::patch(const Set& set, const StatusPlan& plan,
                                std::int64_t observed_generation) const {
  // Parsing the status in the response pays only while support is unknown.
  const bool teaches = plan.counts.terminating && support_.of(set) == TerminatingField::kUnproven;
  const Result<Set> response = client_.template patch<Set>(
      set.key(), PatchType::kMerge, status_patch(set, plan, observed_generation),
      {.subresource = "status", .answer = teaches ? Answer::kObject : Answer::kMetadata});
  if (response && teaches) support_.observe(*response);
  return response.error();
}

template class StatusWriter<ReplicaSet>;
template class StatusWriter<ReplicationController>;

}  // namespace davit::replicas
