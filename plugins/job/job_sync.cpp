#include "plugins/job/job_sync.hpp"

#include <algorithm>
#include <davit/controller_ref_manager.hpp>
#include <davit/mutant.hpp>
#include <set>
#include <string>
#include <utility>

#include "plugins/job/manage_plan.hpp"
#include "plugins/shared/owners/owners.hpp"

namespace davit::job {
namespace {

/// Times in a status have whole seconds.
WallTime whole_seconds(WallTime time) { return std::chrono::floor<std::chrono::seconds>(time); }

std::vector<const PodFacts*> pick(const Snapshot& it, const std::vector<std::size_t>& positions) {
  std::vector<const PodFacts*> pods;
  for (const std::size_t each : positions) pods.push_back(&it.pods[each]);
  return pods;
}

std::vector<WallTime> finish_times(const Snapshot& it, const std::vector<std::size_t>& positions) {
  std::vector<WallTime> times;
  for (const std::size_t each : positions) times.push_back(it.pods[each].finished);
  return times;
}

}  // namespace

JobSync::JobSync(const JobParts& parts, const Job& job, JobSpec spec)
    : parts_(parts),
      job_(job),
      id_(id_of(job)),
      // Asked before the pods are read: one that the cache learns of in between would be made
      // twice.
      satisfied_(parts.memory.satisfied(id_, parts.cluster.now())) {
  it_.spec = std::move(spec);
}

Status JobSync::run() {
  Result<std::vector<PodFacts>> pods = claim_pods();
  if (!pods) return pods.error();
  it_ = make_snapshot(std::move(it_.spec), read_status(job_), job_.ns(), std::move(*pods));
  status_ = counted_ = it_.stored;
  status_.active = it_.active;
  status_.ready = it_.ready;
  status_.terminating = it_.terminating;
  start_clock();
  backoff_ = backoff();
  const WallTime now = parts_.cluster.wall_now();
  end_ = plan_end(it_, status_.start_time, now);

  Status managed;
  if (end_) {
    managed = remove_active();
  } else {
    if (it_.spec.active_deadline && status_.start_time && !it_.spec.suspended) {
      parts_.queue.add_after(job_.key(),
                             deadline_left(*it_.spec.active_deadline, *status_.start_time, now));
    }
    const bool manages = satisfied_ && !it_.spec.being_deleted;
    if (manages) managed = manage_pods();
    end_ = plan_completion(it_, status_.active);
    if (!end_ && manages) set_suspended();
  }
  if (const Status s = track(); !s.ok()) return s.with_context("tracking status");
  return managed;
}

Result<std::vector<PodFacts>> JobSync::claim_pods() const {
  const Result<Selector> selector = Selector::parse(job_.selector());
  if (!selector) return selector.error().with_context("couldn't convert Job selector");
  std::vector<Pod> candidates = parts_.pods.controlled_by(job_);
  for (const Pod& pod : parts_.pods.orphans(job_.ns())) candidates.push_back(pod);
  const Client client = parts_.cluster.client();
  const Result<std::vector<Pod>> claimed =
      ControllerRefManager<Job, Pod>(client, job_, *selector, kTrackingFinalizer).claim(candidates);
  if (!claimed) return claimed.error();

  const std::set<std::string, std::less<>> awaited = parts_.memory.awaited_removals(id_);
  std::vector<PodFacts> pods;
  pods.reserve(claimed->size());
  for (const Pod& pod : *claimed) {
    pods.push_back(read_pod(pod, it_.spec));
    pods.back().removal_awaited = awaited.contains(pods.back().uid) && !mutant("counted-once");
  }
  return pods;
}

void JobSync::start_clock() {
  if (!status_.start_time && !it_.spec.suspended) {
    status_.start_time = whole_seconds(parts_.cluster.wall_now());
  }
}

Backoff JobSync::backoff() const {
  return next_backoff(parts_.memory.backoff(id_), finish_times(it_, it_.newly_succeeded),
                      finish_times(it_, it_.newly_failed));
}

Status JobSync::remove_active() {
  std::vector<const PodFacts*> active;
  for (const PodFacts& pod : it_.pods) {
    if (pod.is_active()) active.push_back(&pod);
  }
  const PodsWritten removed = parts_.writer.remove_at_end(job_, active);
  status_.active -= removed.pods;
  *status_.ready -= removed.ready;
  *status_.terminating += removed.pods;
  // A Job does not end while a pod of it may run on or be unseen.
  if (removed.pods != it_.active || !satisfied_) end_.reset();
  return removed.error;
}

Status JobSync::manage_pods() {
  const ManagePlan plan = plan_pods(it_, backoff_, parts_.cluster.wall_now());
  switch (plan.action) {
    case ManagePlan::Action::kNone:
      action_ = "tracking";
      return {};
    case ManagePlan::Action::kWait:
      action_ = "pods_created";
      parts_.queue.add_after(job_.key(), plan.wait);
      return {};
    case ManagePlan::Action::kRemove: {
      action_ = "pods_deleted";
      const PodsWritten removed = parts_.writer.remove_uncounted(job_, pick(it_, plan.remove));
      status_.active -= removed.pods;
      *status_.ready -= removed.ready;
      *status_.terminating += removed.pods;
      return removed.error;
    }
    case ManagePlan::Action::kCreate:
      break;
  }
  action_ = "pods_created";
  const PodsWritten created = parts_.writer.create(job_, plan.create);
  parts_.metrics.created(it_, created.pods - created.swallowed,
                         static_cast<std::int64_t>(plan.create.size()) - created.pods);
  status_.active += created.pods;
  return created.error;
}

void JobSync::set_suspended() {
  const WallTime now = parts_.cluster.wall_now();
  const EventRecorder events = parts_.cluster.events();
  if (it_.spec.suspended) {
    suspension_changed_ = status_.set_condition(
        make_condition(kSuspended, "True", "JobSuspended", "Job suspended", now));
    if (!suspension_changed_) return;
    status_.start_time.reset();
    events.normal(job_, "Suspended", "Job suspended");
    return;
  }
  suspension_changed_ =
      status_.set_condition(make_condition(kSuspended, "False", "JobResumed", "Job resumed", now));
  if (!suspension_changed_) return;
  status_.start_time = whole_seconds(now);
  events.normal(job_, "Resumed", "Job resumed");
}

Status JobSync::track() {
  std::unordered_set<std::string_view> tracked = tracked_uids(it_);
  const bool folded = fold_uncounted(status_, tracked);
  const TrackingPlan plan = plan_tracking(it_, status_, end_);
  if (list_finished(plan, folded)) {
    if (Status s = write_status("adding uncounted pods to status"); !s.ok()) return s;
    parts_.memory.set_backoff(id_, backoff_);
  }
  parts_.metrics.handled(plan.handled);

  const PodWriter::Released released = parts_.writer.release(job_, pick(it_, plan.release));
  for (const std::string_view uid : released.uids) tracked.erase(uid);
  bool write = fold_uncounted(status_, tracked);
  bool finished = false;
  if (released.error.ok()) {
    finished = finish(plan);
    write = write || finished;
  }
  if (write) {
    if (Status s = write_status("removing uncounted pods from status"); !s.ok()) return s;
  }
  if (finished) {
    parts_.memory.mark_finished(id_);
    report_end();
  }
  return released.error;
}

bool JobSync::list_finished(const TrackingPlan& plan, bool folded) {
  const JobStatus& stored = it_.stored;
  bool write = folded || suspension_changed_ || !plan.succeeded.empty() || !plan.failed.empty() ||
               !plan.indexes.empty() || status_.active != stored.active ||
               status_.ready != stored.ready || status_.terminating != stored.terminating;
  status_.uncounted_succeeded.insert(status_.uncounted_succeeded.end(), plan.succeeded.begin(),
                                     plan.succeeded.end());
  status_.uncounted_failed.insert(status_.uncounted_failed.end(), plan.failed.begin(),
                                  plan.failed.end());
  if (it_.spec.indexed) {
    // All of them at once, also those whose pods wait for their turn to be counted, and one whose
    // pod was counted as failed before it succeeded: an index that is not stored would run again.
    const IndexSet stored_now =
        mutant("succeeded-indexes")
            ? it_.previously_succeeded.united_with(IndexSet::of(plan.indexes))
            : it_.succeeded_indexes;
    status_.succeeded = stored_now.size();
    status_.completed_indexes = stored_now.text();
    status_.failed_indexes.reset();
    if (it_.failed_indexes) status_.failed_indexes = it_.failed_indexes->text();
    write = write || status_.completed_indexes != stored.completed_indexes ||
            status_.failed_indexes != stored.failed_indexes;
  }
  return announce() || write;
}

bool JobSync::announce() {
  if (!end_ || end_->announced) return false;
  return status_.set_condition(
      make_condition(end_->is_failure() ? kFailureTarget : kSuccessCriteriaMet, "True",
                     end_->reason, end_->message, parts_.cluster.wall_now()));
}

Status JobSync::write_status(std::string_view purpose) {
  const Job& before = written_ ? *written_ : job_;
  const Result<Job> written = parts_.cluster.client().update<Job>(
      job_.key(), body_with_status(before, status_), {.subresource = "status"});
  if (!written) return written.error().with_context(purpose);
  written_ = *written;
  parts_.metrics.counted(job_, it_.spec, counted_, status_);
  counted_ = status_;
  return {};
}

bool JobSync::finish(const TrackingPlan& plan) {
  if (!end_ || plan.cut || status_.terminating != 0 || !status_.uncounted_succeeded.empty() ||
      !status_.uncounted_failed.empty()) {
    return false;
  }
  const WallTime now = parts_.cluster.wall_now();
  status_.set_condition(make_condition(end_->is_failure() ? kFailed : kComplete, "True",
                                       end_->reason, end_->message, now));
  if (!end_->is_failure()) status_.completion_time = whole_seconds(now);
  return true;
}

void JobSync::report_end() const {
  const EventRecorder events = parts_.cluster.events();
  if (end_->is_failure()) {
    events.warning(job_, end_->reason, end_->message);
    parts_.metrics.finished(job_, "failed", end_->reason);
    return;
  }
  if (it_.spec.completions && status_.succeeded > *it_.spec.completions) {
    events.warning(job_, "TooManySucceededPods",
                   "Too many succeeded pods running after completion count reached");
  }
  events.normal(job_, "Completed", "Job completed");
  parts_.metrics.finished(job_, "succeeded", end_->reason);
}

}  // namespace davit::job
