#include "plugins/cronjob/cronjob_controller.hpp"

#include <algorithm>
#include <cstdlib>
#include <davit/options.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugins/cronjob/cron_job_sync.hpp"
#include "plugins/cronjob/start_plan.hpp"

namespace davit::cronjob {
namespace {

/// Starts follow a wall clock that was set within this time.
constexpr std::chrono::milliseconds kClockCheck = std::chrono::minutes(1);
/// Less is the drift of a clock, which a start does not notice.
constexpr Duration kClockStep = std::chrono::seconds(1);

std::optional<std::string_view> zone_variable() {
  const char* const value = std::getenv("TZ");
  return value == nullptr ? std::nullopt : std::optional<std::string_view>(value);
}

Duration offset_of_wall_clock(const Context& cluster) {
  return cluster.wall_now().time_since_epoch() - cluster.now().time_since_epoch();
}

}  // namespace

InitResult CronJobController::open(Context& cluster) {
  if (Status s = check_options(cluster.config(), {}); !s.ok()) return s;
  const Status served = cluster.client().resource_exists(CronJob::kResource);
  if (served.code() == Code::kNotFound) return cluster.skip(served.message());
  return std::unique_ptr<Controller>(
      std::make_unique<CronJobController>(cluster, TimeZone::of_process(zone_variable())));
}

CronJobController::CronJobController(Context& cluster, const TimeZone& local)
    : cluster_(cluster),
      local_(local),
      wall_offset_(offset_of_wall_clock(cluster)),
      queue_(cluster.open_queue({.name = "cronjob"}, [this](const Key& key) { return sync(key); })),
      cron_jobs_(cluster.open_informer<CronJob>(
          {.added = [this](const CronJob& cron_job) { queue_.add(cron_job); },
           .updated = [this](const CronJob& old,
                             const CronJob& current) { cron_job_updated(old, current); },
           .deleted = [this](const CronJob& cron_job) { queue_.add(cron_job); }})),
      jobs_(cluster.open_informer<Job>(
          {.added = [this](const Job& job) { queue_controller_of(job); },
           .updated = [this](const Job& old, const Job& current) { job_updated(old, current); },
           .deleted = [this](const Job& job) { queue_controller_of(job); }})),
      creation_skew_(cluster.open_metric(
          {.type = MetricType::kHistogram,
           .name = "cronjob_controller_job_creation_skew_duration_seconds",
           .help = "Time between when a cronjob is scheduled to be run, and when the "
                   "corresponding job is created",
           .buckets = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512}})) {
  cluster.start_timer({.first = kClockCheck, .period = kClockCheck},
                      [this] { follow_wall_clock(); });
}

void CronJobController::cron_job_updated(const CronJob& old, const CronJob& current) const {
  if (old.schedule() == current.schedule() && old.time_zone() == current.time_zone()) {
    return queue_.add(current);
  }
  const Result<Schedule> schedule = schedule_of(current, local_);
  if (!schedule) {
    cluster_.events().warning(
        current, "UnParseableCronJobSchedule",
        "unparseable schedule for cronjob: " + std::string(current.schedule()));
    return;
  }
  // Starts of the new schedule that have passed already are not made up for at once.
  const WallTime now = cluster_.wall_now();
  const std::optional<Duration> delay =
      wake_up_delay(*schedule, current.earliest().value_or(now), now);
  if (delay) return queue_.add_after(current.key(), *delay);
  queue_.add(current);  // It never starts, which the sync reports.
}

void CronJobController::job_updated(const Job& old, const Job& current) const {
  if (old.resource_version() == current.resource_version()) return;
  const std::optional<OwnerReference> before = old.controller();
  if (before && before != current.controller()) queue_controller_of(old);
  queue_controller_of(current);
}

void CronJobController::queue_controller_of(const Job& job) const {
  const std::optional<OwnerReference> reference = job.controller();
  if (!reference || reference->kind() != CronJob::kResource.kind) return;
  const Lookup<CronJob> cron_job = cron_jobs_.get(job.ns(), reference->name());
  if (cron_job && cron_job->uid() == reference->uid()) queue_.add(*cron_job);
}

void CronJobController::follow_wall_clock() {
  const Duration offset = offset_of_wall_clock(cluster_);
  if (std::chrono::abs(offset - wall_offset_) < kClockStep) return;
  wall_offset_ = offset;
  cluster_.log().info("wall clock was set: looking at all CronJobs");
  for (const CronJob& each : cron_jobs_.list()) queue_.add(each);
}

Result<Again> CronJobController::sync(const Key& key) const {
  const Lookup<CronJob> cron_job = cron_jobs_.get(key);
  if (!cron_job) return Again::when_changed();
  if (const std::string mistake = mistake_in(*cron_job); !mistake.empty()) {
    cluster_.log().error("malformed CronJob: nothing is started for it",
                         {{"cronjob", key.text()}, {"what", mistake}});
    return Again::when_changed();
  }
  std::vector<Job> children = jobs_.controlled_by(*cron_job);
  // In a fixed order, which that of the events follows.
  std::sort(children.begin(), children.end(),
            [](const Job& a, const Job& b) { return a.name() < b.name(); });
  return CronJobSync({cluster_, creation_skew_, local_}, *cron_job, std::move(children)).run();
}

}  // namespace davit::cronjob
