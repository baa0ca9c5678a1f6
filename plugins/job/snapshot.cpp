#include "plugins/job/snapshot.hpp"

#include <unordered_set>
#include <utility>

#include "plugins/job/policies.hpp"

namespace davit::job {
namespace {

using Uids = std::unordered_set<std::string_view>;

Uids uids_of(const std::vector<std::string>& list) { return {list.begin(), list.end()}; }

void count_pods(Snapshot& it) {
  const Uids uncounted_succeeded = uids_of(it.stored.uncounted_succeeded);
  const Uids uncounted_failed = uids_of(it.stored.uncounted_failed);
  std::int64_t counted_failures = 0;
  for (std::size_t i = 0; i < it.pods.size(); ++i) {
    const PodFacts& pod = it.pods[i];
    if (pod.is_active()) {
      ++it.active;
      if (pod.rank.ready) ++it.ready;
    } else if (pod.is_terminating()) {
      ++it.terminating;
    }
    if (!pod.is_tracked() || !in_range(pod, it.spec)) continue;
    if (pod.phase == PodPhase::kSucceeded) {
      if (!uncounted_succeeded.contains(pod.uid)) it.newly_succeeded.push_back(i);
    } else if (is_failed(pod, it.spec) && !uncounted_failed.contains(pod.uid)) {
      it.newly_failed.push_back(i);
      const FailureMatch match = match_failure(it.spec, it.ns, pod);
      if (!match.is(FailureRule::Action::kIgnore)) ++counted_failures;
    }
  }
  it.succeeded = it.stored.succeeded + static_cast<std::int64_t>(it.newly_succeeded.size()) +
                 static_cast<std::int64_t>(it.stored.uncounted_succeeded.size());
  it.failed = it.stored.failed + counted_failures +
              static_cast<std::int64_t>(it.stored.uncounted_failed.size());
}

/// Whether the pod's failure was the last that its index may have.
bool ends_index(const Snapshot& it, const PodFacts& pod) {
  if (!is_failed(pod, it.spec)) return false;
  const FailureMatch match = match_failure(it.spec, it.ns, pod);
  if (match.is(FailureRule::Action::kFailIndex)) return true;
  return !match.is(FailureRule::Action::kIgnore) &&
         pod.failures >= *it.spec.backoff_limit_per_index;
}

void find_indexes(Snapshot& it) {
  const std::int64_t limit = *it.spec.completions;
  std::vector<std::int64_t> succeeded;
  std::vector<std::int64_t> failed;
  for (const PodFacts& pod : it.pods) {
    if (!pod.has_finalizer || !in_range(pod, it.spec)) continue;
    if (pod.phase == PodPhase::kSucceeded) succeeded.push_back(*pod.index);
    if (it.spec.per_index() && ends_index(it, pod)) failed.push_back(*pod.index);
  }
  it.previously_succeeded = IndexSet::parse(it.stored.completed_indexes, limit);
  it.succeeded_indexes = it.previously_succeeded.united_with(IndexSet::of(std::move(succeeded)));
  it.succeeded = it.succeeded_indexes.size();
  if (!it.spec.per_index()) return;
  it.failed_indexes = IndexSet::parse(it.stored.failed_indexes.value_or(""), limit)
                          .united_with(IndexSet::of(std::move(failed)));
}

/// The last failed pod of each index that will get another one.
void find_delayed(Snapshot& it) {
  std::vector<std::int64_t> running;
  for (const PodFacts& pod : it.pods) {
    if (pod.is_active() && in_range(pod, it.spec)) running.push_back(*pod.index);
  }
  const IndexSet settled = IndexSet::of(std::move(running))
                               .united_with(it.succeeded_indexes)
                               .united_with(*it.failed_indexes);
  for (std::size_t i = 0; i < it.pods.size(); ++i) {
    const PodFacts& pod = it.pods[i];
    if (!pod.is_tracked() || !is_failed(pod, it.spec) || !in_range(pod, it.spec)) continue;
    if (settled.contains(*pod.index)) continue;
    const auto [last, is_first] = it.delayed.try_emplace(*pod.index, i);
    if (is_first) continue;
    const PodFacts& known = it.pods[last->second];
    if (pod.index_failures() >= known.index_failures() && pod.finished >= known.finished) {
      last->second = i;
    }
  }
}

}  // namespace

Snapshot make_snapshot(JobSpec spec, JobStatus stored, std::string_view ns,
                       std::vector<PodFacts> pods) {
  Snapshot it;
  it.spec = std::move(spec);
  it.stored = std::move(stored);
  it.ns = ns;
  it.pods = std::move(pods);
  count_pods(it);
  if (it.spec.indexed) find_indexes(it);
  if (it.spec.indexed && it.spec.per_index()) find_delayed(it);
  return it;
}

}  // namespace davit::job
