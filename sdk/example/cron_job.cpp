/// The CronJob of kubebuilder's tutorial, defined in cron_job.yaml: starts Jobs at the times of a
/// schedule, keeps a history of finished ones, and reports the active ones in its status.
#include "cron_job.hpp"  // davit_codegen(cron-job cron_job.yaml)

#include <algorithm>
#include <davit/entry.hpp>
#include <davit/watch.hpp>
#include <davit/writes.hpp>
#include <vector>

#include "kubernetes.hpp"  // davit_codegen(cron-job KINDS batch/v1/Job)
#include "schedule.hpp"

namespace {

using namespace davit;
using batch::v1::Job;
using batch::v1::JobDraft;
using tutorial::v1::CronJob;
using Policy = tutorial::v1::CronJobSpecConcurrencyPolicy;
using tutorial::v1::CronJobStatusDraft;

constexpr std::string_view kScheduledAt = "tutorial.davit.dev/scheduled-at";
constexpr int kMissedMax = 100;  // More are a wrong clock or a deadline that is missing.

/// The Jobs of a CronJob.
struct Children {
  std::vector<Job> active;
  std::vector<Job> successful;
  std::vector<Job> failed;
  std::optional<WallTime> last_schedule;
};

/// The latest start in (`since`, `now`]; kInvalid if there are too many of them.
Result<std::optional<WallTime>> latest_start(const Schedule& schedule, WallTime since,
                                             WallTime now) {
  std::optional<WallTime> latest;
  int missed = 0;
  for (auto time = schedule.next(since); time && *time <= now; time = schedule.next(*time)) {
    latest = time;
    if (++missed > kMissedMax) {
      return Status(Code::kInvalid,
                    "more than 100 starts were missed; set startingDeadlineSeconds");
    }
  }
  return latest;
}

class CronJobController : public Controller {
 public:
  explicit CronJobController(Context& context)
      : context_(context),
        queue_(context.open_queue({.name = "cronjob"}, [this](const Key& k) { return sync(k); })),
        cron_jobs_(reconciles<CronJob>(context, queue_)),
        jobs_(owns<Job, CronJob>(context, queue_)) {}

 private:
  Result<Again> sync(const Key& key) const {
    const Lookup<CronJob> cron_job = cron_jobs_.get(key);
    if (!cron_job || cron_job->is_being_deleted()) return Again::when_changed();
    const auto spec = cron_job->spec();
    Children children = children_of(*cron_job);
    if (Status s = write_status(*cron_job, children); !s.ok()) return s;
    if (Status s = trim(children.failed, spec.failed_jobs_history_limit()); !s.ok()) return s;
    if (Status s = trim(children.successful, spec.successful_jobs_history_limit()); !s.ok()) {
      return s;
    }
    if (spec.suspend()) return Again::when_changed();

    const WallTime now = context_.wall_now();
    WallTime since = children.last_schedule.value_or(cron_job->creation_time().value_or(now));
    if (const auto deadline = spec.starting_deadline_seconds()) {
      since = std::max(since, now - std::chrono::seconds(*deadline));
    }
    const Result<Schedule> schedule = Schedule::parse(spec.schedule());
    if (!schedule) return stop(*cron_job, "InvalidSchedule", schedule.error());
    const auto due = latest_start(*schedule, since, now);
    if (!due) return stop(*cron_job, "TooManyMissedTimes", due.error());
    const std::optional<WallTime> next = schedule->next(now);
    const Again again = next ? Again::after(*next - now) : Again::when_changed();
    const bool blocked = spec.concurrency_policy() == Policy::kForbid && !children.active.empty();
    if (!*due || blocked) return again;
    if (spec.concurrency_policy() == Policy::kReplace) {
      if (Status s = trim(children.active, 0); !s.ok()) return s;
    }
    const Status started = start(*cron_job, **due);
    if (Status s = started.unless(Code::kAlreadyExists); !s.ok()) return s;
    return again;
  }

  [[nodiscard]] Children children_of(const CronJob& cron_job) const {
    Children out;
    out.last_schedule = cron_job.status().last_schedule_time();
    for (const Job job : jobs_.controlled_by(cron_job)) {
      const auto is = [&](std::string_view type) {
        const auto condition = job.status().condition(type);
        return condition && condition->is_true();
      };
      (is("Complete") ? out.successful : is("Failed") ? out.failed : out.active).push_back(job);
      const auto scheduled = parse_time(job.annotation(kScheduledAt).value_or(""));
      if (scheduled) out.last_schedule = std::max(out.last_schedule, scheduled);
    }
    const auto older = [](const Job& a, const Job& b) {
      return a.status().start_time() < b.status().start_time();
    };
    std::ranges::sort(out.successful, older);
    std::ranges::sort(out.failed, older);
    return out;
  }

  [[nodiscard]] Status write_status(const CronJob& cron_job, const Children& children) const {
    CronJobStatusDraft status{.active = decltype(CronJobStatusDraft::active)::of_none(),
                              .last_schedule_time = children.last_schedule};
    for (const Job& job : children.active) {
      status.active.add({.api_version = Job::kResource.api_version(),
                         .kind = Job::kResource.kind,
                         .namespace_ = job.ns(),
                         .name = job.name(),
                         .uid = job.uid()});
    }
    return patch_status(context_, cron_job, status).error();
  }

  /// Deletes the oldest Jobs but `limit`.
  [[nodiscard]] Status trim(const std::vector<Job>& jobs, std::int64_t limit) const {
    for (std::size_t i = 0; i + static_cast<std::size_t>(limit) < jobs.size(); ++i) {
      const Status removed =
          context_.client().remove<Job>(jobs[i].key(), {.propagation = Propagation::kBackground});
      if (Status s = removed.unless(Code::kNotFound); !s.ok()) return s;
    }
    return {};
  }

  /// Reports what only a change of the CronJob can mend.
  Result<Again> stop(const CronJob& cron_job, std::string_view reason, const Status& why) const {
    context_.events().warning(cron_job, reason, why.message());
    return Again::when_changed();
  }

  /// Creates the Job of one start. Its name follows from the time, so that it is created once.
  [[nodiscard]] Status start(const CronJob& cron_job, WallTime scheduled) const {
    const auto job_template = cron_job.spec().job_template();
    const auto minute = std::chrono::floor<std::chrono::minutes>(scheduled.time_since_epoch());
    JobDraft job{
        .metadata = {.name = std::string(cron_job.name()) + "-" + std::to_string(minute.count()),
                     .ns = cron_job.ns(),
                     .owners = {controller_of(cron_job)}},
        .spec = job_template.spec()};
    for (const Member& each : job_template.metadata().labels().members()) {
      job.metadata.labels.set(each.key, each.value.string());
    }
    for (const Member& each : job_template.metadata().annotations().members()) {
      job.metadata.annotations.set(each.key, each.value.string());
    }
    job.metadata.annotations.set(kScheduledAt, format_time(scheduled));
    return context_.client().create<Job>(cron_job.ns(), json_of(job)).error();
  }

  Context& context_;
  Queue queue_;
  Informer<CronJob> cron_jobs_;
  Informer<Job> jobs_;
};

constexpr void declare(Note& note) {
  note.plugin("cron-job", "0.1.0")
      .controller({.name = "tutorial-cron-job-controller",
                   .factory = &make<CronJobController>,
                   .workers = 2})
      .rule<CronJob>({"patch"}, {.subresource = "status"})
      .rule<CronJob>({"update"}, {.subresource = "finalizers"})
      .rule<Job>({"create", "delete"})
      .watch<CronJob>()
      .watch<Job>({"metadata.annotations", "metadata.ownerReferences", "status.conditions",
                   "status.startTime"});
}

}  // namespace

DAVIT_PLUGIN(declare);
