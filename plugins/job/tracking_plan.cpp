#include "plugins/job/tracking_plan.hpp"

#include <algorithm>

#include "plugins/job/policies.hpp"

namespace davit::job {
namespace {

// UIDs in a status, so that it stays within some 20 KB.
constexpr std::size_t kUncountedMax = 500;

/// The tracked pods in the order in which they are counted.
std::vector<std::size_t> tracked_in_order(const Snapshot& job) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < job.pods.size(); ++i) {
    if (job.pods[i].is_tracked()) order.push_back(i);
  }
  if (job.spec.indexed) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return job.pods[a].index.value_or(-1) < job.pods[b].index.value_or(-1);
    });
  }
  return order;
}

bool may_release(const Snapshot& job, const std::optional<End>& end, std::size_t position) {
  const PodFacts& pod = job.pods[position];
  if (job.spec.being_deleted || end || pod.phase == PodPhase::kSucceeded) return true;
  return is_failed(pod, job.spec) && !job.is_delayed(position);
}

/// Lists one pod, if it counts and is not listed yet.
class Lister {
 public:
  Lister(const Snapshot& job, const JobStatus& folded, TrackingPlan& plan)
      : job_(job),
        plan_(plan),
        succeeded_(folded.uncounted_succeeded.begin(), folded.uncounted_succeeded.end()),
        failed_(folded.uncounted_failed.begin(), folded.uncounted_failed.end()) {}

  void list(const PodFacts& pod, const std::optional<End>& end) {
    if (pod.phase == PodPhase::kSucceeded && !failed_.contains(pod.uid)) {
      list_success(pod);
    } else if (is_failed(pod, job_.spec) || (end && end->is_failure())) {
      // All pods of a Job that failed count as failed, those that ran on too.
      if (!failed_.contains(pod.uid) && in_range(pod, job_.spec)) list_failure(pod);
    }
  }

  [[nodiscard]] std::size_t size() const {
    return plan_.indexes.size() + succeeded_.size() + plan_.succeeded.size() + failed_.size() +
           plan_.failed.size();
  }

 private:
  void list_success(const PodFacts& pod) {
    if (!job_.spec.indexed) {
      if (!succeeded_.contains(pod.uid)) plan_.succeeded.emplace_back(pod.uid);
    } else if (in_range(pod, job_.spec) && !job_.previously_succeeded.contains(*pod.index)) {
      plan_.indexes.push_back(*pod.index);
    }
  }
  void list_failure(const PodFacts& pod) {
    const FailureMatch match = match_failure(job_.spec, job_.ns, pod);
    if (match.action) plan_.handled.push_back(*match.action);
    if (!match.is(FailureRule::Action::kIgnore)) plan_.failed.emplace_back(pod.uid);
  }

  const Snapshot& job_;
  TrackingPlan& plan_;
  std::unordered_set<std::string_view> succeeded_;
  std::unordered_set<std::string_view> failed_;
};

/// Moves the UIDs of one list into a counter.
bool fold(std::vector<std::string>& list, std::int64_t& counter,
          const std::unordered_set<std::string_view>& tracked) {
  const std::size_t gone =
      std::erase_if(list, [&](const std::string& uid) { return !tracked.contains(uid); });
  counter += static_cast<std::int64_t>(gone);
  return gone > 0;
}

}  // namespace

TrackingPlan plan_tracking(const Snapshot& job, const JobStatus& folded,
                           const std::optional<End>& end) {
  TrackingPlan plan;
  Lister lister(job, folded, plan);
  for (const std::size_t position : tracked_in_order(job)) {
    if (!may_release(job, end, position)) continue;
    plan.release.push_back(position);
    lister.list(job.pods[position], end);
    if (lister.size() >= kUncountedMax) {
      plan.cut = true;
      break;
    }
  }
  return plan;
}

std::unordered_set<std::string_view> tracked_uids(const Snapshot& job) {
  std::unordered_set<std::string_view> uids;
  for (const PodFacts& pod : job.pods) {
    if (pod.is_tracked()) uids.insert(pod.uid);
  }
  return uids;
}

bool fold_uncounted(JobStatus& status, const std::unordered_set<std::string_view>& tracked) {
  const bool succeeded = fold(status.uncounted_succeeded, status.succeeded, tracked);
  const bool failed = fold(status.uncounted_failed, status.failed, tracked);
  return succeeded || failed;
}

}  // namespace davit::job
