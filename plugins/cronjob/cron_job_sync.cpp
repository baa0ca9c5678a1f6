#include "plugins/cronjob/cron_job_sync.hpp"

#include <algorithm>
#include <davit/kube/go_quote.hpp>
#include <davit/mutant.hpp>
#include <utility>

#include "plugins/cronjob/history_plan.hpp"
#include "plugins/cronjob/job_body.hpp"

namespace davit::cronjob {
namespace {

/// A failed deletion is repeated after this time. It is no error of the sync, whose back-off would
/// delay a start.
constexpr std::chrono::minutes kCleanAgain{1};

Again no_later(const Again& planned, std::chrono::milliseconds delay) {
  const bool is_sooner =
      planned.after_ms() > 0 && planned.after_ms() <= static_cast<std::uint64_t>(delay.count());
  return is_sooner ? planned : Again::after(delay);
}

}  // namespace

CronJobSync::CronJobSync(const Shared& shared, const CronJob& cron_job, std::vector<Job> children)
    : shared_(shared),
      cron_job_(cron_job),
      children_(std::move(children)),
      now_(shared.cluster.wall_now()),
      draft_(cron_job) {}

Result<Again> CronJobSync::run() {
  const bool is_clean = clean_history();
  Result<Again> outcome = reconcile();
  if (outcome && !is_clean && !mutant("clean-again")) outcome = no_later(*outcome, kCleanAgain);
  if (!draft_.is_changed()) return outcome;
  const Result<CronJob> written = shared_.cluster.client().patch<CronJob>(
      cron_job_.key(), PatchType::kMerge, draft_.patch(cron_job_),
      {.subresource = "status", .answer = Answer::kMetadata});
  if (!written) return written.error();
  return outcome;
}

bool CronJobSync::clean_history() {
  bool is_clean = true;
  for (const char* condition : {"Complete", "Failed"}) {
    const std::optional<std::size_t> limit = cron_job_.history_limit(condition);
    if (!limit) continue;
    for (const Job& each : surplus_jobs(children_, condition, *limit)) {
      const Status removed =
          remove_job(std::string(each.ns()), std::string(each.name()), std::string(each.uid()));
      // A Job that is gone leaves the cache by itself.
      if (!removed.ok() && removed.code() != Code::kNotFound) is_clean = false;
    }
  }
  return is_clean;
}

Result<Again> CronJobSync::reconcile() {
  const Status followed = follow_children();
  if (!followed.ok()) return followed;
  const Status dropped = drop_missing();
  if (!dropped.ok()) return dropped;
  if (cron_job_.is_being_deleted()) return Again::when_changed();
  const Result<TimeZone> zone =
      TimeZone::load(cron_job_.time_zone().value_or("UTC"), shared_.local);
  if (!zone) {
    warning("UnknownTimeZone", "invalid timeZone: " + go_quoted(*cron_job_.time_zone()) + ": " +
                                   zone.error().message());
    return Again::when_changed();
  }
  if (cron_job_.is_suspended()) return Again::when_changed();
  const std::string text(cron_job_.schedule());
  if (names_zone(cron_job_)) {
    warning("UnsupportedSchedule",
            "CRON_TZ or TZ used in schedule " + go_quoted(text) +
                " is not officially supported, see "
                "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more "
                "details");
  }
  const Result<Schedule> schedule = schedule_of(cron_job_, shared_.local);
  if (!schedule) {
    warning("UnparseableSchedule",
            "unparseable schedule: " + go_quoted(text) + " : " + schedule.error().message());
    return Again::when_changed();
  }
  return start_due(*schedule, *zone);
}

Status CronJobSync::follow_children() {
  for (const Job& child : children_) {
    const std::optional<ConditionView> finish = child.finish();
    const bool is_listed = draft_.lists(child.uid());
    if (!is_listed && !finish) {
      const Status reported = report_unlisted(child);
      if (!reported.ok()) return reported;
    }
    if (!finish) continue;
    if (is_listed) {
      draft_.remove(child.uid());
      normal("SawCompletedJob", "Saw completed job: " + std::string(child.name()) +
                                    ", condition: " + std::string(finish->type()));
    }
    const std::optional<WallTime> completed = child.completion_time();
    if (finish->type() == "Complete" && completed) draft_.set_last_successful(*completed);
  }
  return {};
}

Status CronJobSync::report_unlisted(const Job& child) {
  // The cached CronJob may be older than the Job.
  const Result<CronJob> live = shared_.cluster.client().get<CronJob>(cron_job_.key());
  if (!live) return live.error();
  if (live->uid() != cron_job_.uid()) {
    return {Code::kConflict, "the CronJob was deleted and created again"};
  }
  if (StatusDraft(*live).lists(child.uid())) {
    // From here on the newer one decides: concurrency, the next start, and what is written.
    if (mutant("live-cron-job")) return {};
    draft_.rebase(*live);
    cron_job_ = *live;
    return {};
  }
  warning("UnexpectedJob",
          "Saw a job that the controller did not create or forgot: " + std::string(child.name()));
  return {};
}

Status CronJobSync::drop_missing() {
  const std::vector<JobReference> listed = draft_.active();
  for (const JobReference& each : listed) {
    const bool is_child = std::any_of(children_.begin(), children_.end(), [&](const Job& job) {
      return job.uid() == each.uid && job.name() == each.name && job.ns() == each.ns;
    });
    if (is_child) continue;
    // The cache may lack a Job that is there.
    const Status found = find(each);
    if (found.ok()) continue;
    if (found.code() != Code::kNotFound) return found;
    draft_.remove(each.uid);
    normal("MissingJob", "Active job went missing: " + each.name);
  }
  return {};
}

Status CronJobSync::find(const JobReference& reference) const {
  // Otherwise, a user who may write the status could have the Jobs of others read and deleted.
  if (reference.ns != cron_job_.ns() && !mutant("foreign-active")) {
    return {Code::kNotFound, "it is in another namespace than the CronJob"};
  }
  const Result<Job> live = shared_.cluster.client().get<Job>({reference.ns, reference.name});
  if (live && live->uid() != reference.uid) {
    return {Code::kNotFound, "another Job has its name"};
  }
  return live.error();
}

Result<Again> CronJobSync::start_due(const Schedule& schedule, const TimeZone& zone) {
  const Result<RecentStart> unmet = unmet_start(schedule, cron_job_, now_);
  if (!unmet) {
    warning("InvalidSchedule", "invalid schedule: " + std::string(cron_job_.schedule()) + " : " +
                                   unmet.error().message());
    return Again::when_changed();
  }
  if (!unmet->start) return again(schedule);
  if (unmet->missed == Missed::kMany) {
    warning("TooManyMissedTimes",
            "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check "
            "clock skew");
  }
  const bool is_started = draft_.lists_name(cron_job_.ns(), job_name(cron_job_, *unmet->start)) ||
                          draft_.last_schedule() == unmet->start;
  if (is_started) return again(schedule);
  if (cron_job_.policy() == ConcurrencyPolicy::kForbid && !draft_.active().empty()) {
    normal("JobAlreadyActive",
           "Not starting job because prior execution is running and concurrency policy is Forbid");
    return again(schedule);
  }
  if (cron_job_.policy() == ConcurrencyPolicy::kReplace) {
    const Status replaced = make_room();
    if (!replaced.ok()) return replaced;
  }
  const Result<Started> started = start(*unmet->start, zone);
  if (!started) return started.error();
  if (*started == Started::kNameTaken) return Again::when_changed();
  draft_.set_last_schedule(*unmet->start);
  return again(schedule);
}

Status CronJobSync::make_room() {
  const std::vector<JobReference> running = draft_.active();
  for (const JobReference& each : running) {
    const Status found = find(each);
    if (!found.ok()) {
      warning("FailedGet", "Get job: " + found.message());
      return found;
    }
    const Status removed = remove_job(each.ns, each.name, each.uid);
    if (!removed.ok()) {
      return Status(removed.code(), "could not replace job " + each.ns + "/" + each.name);
    }
  }
  return {};
}

Result<CronJobSync::Started> CronJobSync::start(Instant start, const TimeZone& zone) {
  const std::string name = job_name(cron_job_, start);
  const Result<Job> created = shared_.cluster.client().create<Job>(
      cron_job_.ns(), job_body(cron_job_, start, zone), {.answer = Answer::kMetadata});
  if (created) {
    const std::optional<WallTime> at = created->creation_time();
    if (at) shared_.creation_skew.record(std::chrono::duration<double>(*at - start).count());
    normal("SuccessfulCreate", "Created job " + name);
    draft_.add(*created);
    return Started::kYes;
  }
  if (created.error().code() == Code::kAlreadyExists) return take_over(name);
  if (!created.error().has_cause("NamespaceTerminating")) {
    warning("FailedCreate", "Error creating job: " + created.error().message());
  }
  return created.error();
}

Result<CronJobSync::Started> CronJobSync::take_over(const std::string& name) {
  const Result<Job> job = shared_.cluster.client().get<Job>({std::string(cron_job_.ns()), name});
  if (!job) return job.error();
  // The CronJob's own is of this very start, whose status could not be written.
  const bool is_own = job->is_controlled_by(cron_job_) || mutant("foreign-job");
  if (!is_own || draft_.lists(job->uid())) {
    return Started::kNameTaken;
  }
  draft_.add(*job);
  return Started::kYes;
}

Status CronJobSync::remove_job(const std::string& ns, const std::string& name,
                               const std::string& uid) {
  const Status removed = shared_.cluster.client().remove<Job>(
      {ns, name}, {.propagation = Propagation::kBackground, .uid = uid});
  if (!removed.ok()) {
    warning("FailedDelete", "Deleted job: " + removed.message());
    return removed;
  }
  draft_.remove(uid);
  normal("SuccessfulDelete", "Deleted job " + name);
  return {};
}

Again CronJobSync::again(const Schedule& schedule) const {
  const std::optional<Instant> last = draft_.last_schedule();
  const WallTime earliest = last ? WallTime(*last) : cron_job_.earliest().value_or(now_);
  const std::optional<Duration> delay = wake_up_delay(schedule, earliest, now_);
  return delay ? Again::after(*delay) : Again::when_changed();
}

void CronJobSync::normal(std::string_view reason, const std::string& message) const {
  shared_.cluster.events().normal(cron_job_, reason, message);
}

void CronJobSync::warning(std::string_view reason, const std::string& message) const {
  shared_.cluster.events().warning(cron_job_, reason, message);
}

}  // namespace davit::cronjob
