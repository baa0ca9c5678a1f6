#include "plugins/job/manage_plan.hpp"

#include <algorithm>
#include <utility>

#include "plugins/job/policies.hpp"

namespace davit::job {
namespace {

// Created or deleted in one sync at most, so that one Job does not starve the others.
constexpr std::int64_t kPodsPerSyncMax = 500;
// Events of pods are put together for so long, too; a shorter wait saves nothing.
constexpr Duration kShortestWait = std::chrono::seconds(1);

std::int64_t wanted_pods(const Snapshot& job) {
  const JobSpec& spec = job.spec;
  if (!spec.completions) return job.succeeded > 0 ? job.active : spec.parallelism;
  return std::clamp<std::int64_t>(*spec.completions - job.succeeded, 0, spec.parallelism);
}

std::vector<std::size_t> active_pods(const Snapshot& job) {
  std::vector<std::size_t> active;
  for (std::size_t i = 0; i < job.pods.size(); ++i) {
    if (job.pods[i].is_active()) active.push_back(i);
  }
  return active;
}

/// Moves the pods of indexes that are not wanted, and all but the last of an index that has
/// several, from `ranked` to the result.
std::vector<std::size_t> take_misplaced(const Snapshot& job, std::vector<std::size_t>& ranked) {
  std::map<std::int64_t, std::size_t> last;
  for (const std::size_t each : ranked) {
    if (in_range(job.pods[each], job.spec)) last[*job.pods[each].index] = each;
  }
  std::vector<std::size_t> misplaced;
  std::vector<std::size_t> rest;
  for (const std::size_t each : ranked) {
    const PodFacts& pod = job.pods[each];
    const bool stays = in_range(pod, job.spec) && last[*pod.index] == each;
    (stays ? rest : misplaced).push_back(each);
  }
  ranked = std::move(rest);
  return misplaced;
}

std::vector<std::size_t> surplus_pods(const Snapshot& job, std::int64_t surplus) {
  std::vector<std::size_t> victims;
  if (surplus <= 0 && !job.spec.indexed) return victims;
  std::vector<std::size_t> ranked = active_pods(job);
  std::stable_sort(ranked.begin(), ranked.end(), [&](std::size_t a, std::size_t b) {
    return pods::ranks_before(job.pods[a].rank, job.pods[b].rank);
  });
  if (job.spec.indexed) victims = take_misplaced(job, ranked);
  for (const std::size_t each : ranked) {
    if (static_cast<std::int64_t>(victims.size()) >= surplus) break;
    victims.push_back(each);
  }
  if (victims.size() > kPodsPerSyncMax) victims.resize(kPodsPerSyncMax);
  return victims;
}

std::vector<std::int64_t> free_indexes(const Snapshot& job, std::int64_t count) {
  std::vector<std::int64_t> taken;
  for (const PodFacts& pod : job.pods) {
    const bool holds = pod.is_active() || (job.spec.replaces_failed_only && pod.is_terminating());
    if (holds && in_range(pod, job.spec)) taken.push_back(*pod.index);
  }
  IndexSet busy = IndexSet::of(std::move(taken)).united_with(job.succeeded_indexes);
  if (job.failed_indexes) busy = busy.united_with(*job.failed_indexes);
  return busy.first_missing(static_cast<std::size_t>(count), *job.spec.completions);
}

/// The next pod of an index, after the failure that is still to be counted, if there is one.
NewPod successor(const Snapshot& job, std::int64_t index) {
  NewPod pod{index, 0, 0};
  const auto delayed = job.delayed.find(index);
  if (delayed == job.delayed.end()) return pod;
  const PodFacts& before = job.pods[delayed->second];
  const bool ignored = match_failure(job.spec, job.ns, before).is(FailureRule::Action::kIgnore);
  pod.failures = before.failures + (ignored ? 0 : 1);
  pod.ignored_failures = before.ignored_failures + (ignored ? 1 : 0);
  return pod;
}

ManagePlan wait_for(Duration left) {
  ManagePlan plan;
  plan.action = ManagePlan::Action::kWait;
  plan.wait = std::max(left, kShortestWait);
  return plan;
}

/// Each index has a back-off of its own; those whose back-off lasts keep their place.
ManagePlan create_per_index(const Snapshot& job, const std::vector<std::int64_t>& indexes,
                            WallTime now) {
  ManagePlan plan;
  std::optional<Duration> shortest;
  for (const std::int64_t index : indexes) {
    Duration left{};
    if (const auto delayed = job.delayed.find(index); delayed != job.delayed.end()) {
      const PodFacts& pod = job.pods[delayed->second];
      left = backoff_left({pod.index_failures() + 1, pod.finished}, now);
    }
    if (left > Duration::zero()) {
      shortest = shortest ? std::min(*shortest, left) : left;
    } else {
      plan.create.push_back(successor(job, index));
    }
  }
  if (plan.create.empty() && shortest) return wait_for(*shortest);
  return plan;
}

}  // namespace

ManagePlan plan_pods(const Snapshot& job, const Backoff& backoff, WallTime now) {
  ManagePlan plan;
  if (job.spec.suspended) {
    plan.action = ManagePlan::Action::kRemove;
    plan.remove = active_pods(job);
    return plan;
  }
  const std::int64_t wanted = wanted_pods(job);
  plan.remove = surplus_pods(job, job.active - wanted);
  if (!plan.remove.empty()) {
    plan.action = ManagePlan::Action::kRemove;
    return plan;
  }
  const std::int64_t missing =
      wanted - job.active - (job.spec.replaces_failed_only ? job.terminating : 0);
  if (missing <= 0) return plan;
  if (!job.spec.per_index()) {
    const Duration left = backoff_left(backoff, now);
    if (left > Duration::zero()) return wait_for(left);
  }
  const std::int64_t count = std::min(missing, kPodsPerSyncMax);
  if (!job.spec.indexed) {
    plan.create.resize(static_cast<std::size_t>(count));
  } else if (job.spec.per_index()) {
    plan = create_per_index(job, free_indexes(job, count), now);
  } else {
    for (const std::int64_t index : free_indexes(job, count)) plan.create.push_back({index});
  }
  // Also when no index is free, which the metric of syncs counts as creating, too.
  if (plan.action == ManagePlan::Action::kNone) plan.action = ManagePlan::Action::kCreate;
  return plan;
}

}  // namespace davit::job
