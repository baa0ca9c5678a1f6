#include "plugins/job/change_handlers.hpp"

#include <davit/kube/selector.hpp>
#include <optional>

#include "plugins/job/end_plan.hpp"
#include "plugins/job/job_spec.hpp"
#include "plugins/shared/owners/owners.hpp"

namespace davit::job {
namespace {

// Changes of pods and of the status are put together for so long, so that many cost one sync.
constexpr Duration kBatch = std::chrono::seconds(1);

bool is_counted_late(const Pod& pod) {
  return pod.is_finished() && pod.has_finalizer(kTrackingFinalizer);
}

}  // namespace

void ChangeHandlers::queue_batched(const Job& job) const { queue_.add_after(job.key(), kBatch); }

void ChangeHandlers::job_added(const Job& job) const {
  if (job.is_external()) metrics_.external_job(*job.managed_by());
  queue_.add(job);
}

void ChangeHandlers::job_updated(const Job& old, const Job& job) const {
  // The deletion between the two was missed.
  if (old.uid() != job.uid()) job_deleted(old);
  if (job.is_finished()) {
    orphans_.add_pods_of(job);
    return;
  }
  if (old.generation() == job.generation()) {
    queue_batched(job);
  } else {
    queue_.add(job);
  }
  const std::optional<std::int64_t> deadline = job.spec()["activeDeadlineSeconds"].integer();
  const std::optional<WallTime> start = job.start_time();
  if (!deadline || !start || old.spec()["activeDeadlineSeconds"].integer() == deadline) return;
  const Result<JobSpec> spec = read_spec(job);
  if (!spec) return;
  queue_.add_after(job.key(), deadline_left(*spec->active_deadline, *start, cluster_.wall_now()));
}

void ChangeHandlers::job_deleted(const Job& job) const {
  memory_.forget(job.key());
  queue_.add(job);
  orphans_.add_pods_of(job);
}

void ChangeHandlers::pod_changed(const Event<Pod>& event) const {
  count_terminated(event);
  switch (event.type) {
    case Event<Pod>::Type::kAdded:
      return pod_added(event.current);
    case Event<Pod>::Type::kUpdated:
      return pod_updated(*event.old, event.current);
    case Event<Pod>::Type::kDeleted:
      return pod_gone(event.current, Gone::kDeleted);
  }
}

void ChangeHandlers::count_terminated(const Event<Pod>& event) const {
  if (event.tombstone) return;
  const bool is_deleted = event.type == Event<Pod>::Type::kDeleted;
  const bool was =
      is_deleted ? is_counted_late(event.current) : event.old && is_counted_late(*event.old);
  const bool is = !is_deleted && is_counted_late(event.current);
  if (was != is) metrics_.terminated_pod(is ? "add" : "delete");
}

void ChangeHandlers::pod_added(const Pod& pod) const {
  // After a restart a pod can show up for the first time while it is being deleted already.
  if (pod.is_being_deleted()) return pod_gone(pod, Gone::kTerminating);
  if (const std::optional<OwnerReference> owner = pod.controller()) {
    const Lookup<Job> job = owners::resolve(jobs_, pod.ns(), *owner);
    if (!job) return;
    memory_.creation_observed(id_of(*job));
    queue_batched(*job);
    return;
  }
  if (pod.has_finalizer(kTrackingFinalizer)) orphans_.add(pod);
  queue_matching(pod);
}

void ChangeHandlers::pod_updated(const Pod& old, const Pod& pod) const {
  if (old.resource_version() == pod.resource_version()) return;  // A resync.
  if (pod.is_being_deleted()) return pod_gone(pod, Gone::kTerminating);
  const bool tracked = pod.has_finalizer(kTrackingFinalizer);
  const std::optional<OwnerReference> old_owner = old.controller();
  const std::optional<OwnerReference> owner = pod.controller();
  const bool owner_changed = old_owner != owner;
  if (owner_changed && old_owner) {
    if (const Lookup<Job> job = owners::resolve(jobs_, pod.ns(), *old_owner)) {
      if (!tracked) memory_.removal_observed(id_of(*job), pod.uid());
      queue_batched(*job);
    }
  }
  if (owner) {
    const Lookup<Job> job = owners::resolve(jobs_, pod.ns(), *owner);
    if (!job) return;
    if (!tracked) memory_.removal_observed(id_of(*job), pod.uid());
    queue_batched(*job);
    return;
  }
  if (tracked) orphans_.add(pod);
  if (owner_changed || !(old.labels() == pod.labels())) queue_matching(pod);
}

void ChangeHandlers::pod_gone(const Pod& pod, Gone how) const {
  const Lookup<Job> job = owners::controller_of(jobs_, pod);
  const bool tracked = pod.has_finalizer(kTrackingFinalizer);
  if (!job || job->is_finished()) {
    if (tracked) orphans_.add(pod);
    return;
  }
  memory_.deletion_observed(id_of(*job));
  if (how == Gone::kDeleted || !tracked) memory_.removal_observed(id_of(*job), pod.uid());
  queue_batched(*job);
}

void ChangeHandlers::queue_matching(const Pod& pod) const {
  if (pod.labels().count() == 0) return;
  for (const Job& job : jobs_.in_namespace(pod.ns())) {
    // Unlike a set's, an empty one matches every pod.
    const Result<Selector> selector = Selector::parse(job.selector());
    if (selector && selector->matches(pod.labels())) queue_batched(job);
  }
}

}  // namespace davit::job
