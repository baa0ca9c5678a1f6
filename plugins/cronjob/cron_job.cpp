#include "plugins/cronjob/cron_job.hpp"

#include <algorithm>
#include <cstdint>

namespace davit::cronjob {
namespace {

struct Expected {
  std::string_view name;
  Kind kind;
  std::string_view mistake;
};
constexpr Expected kMembers[] = {
    {"schedule", Kind::kString, "spec.schedule is not a string"},
    {"timeZone", Kind::kString, "spec.timeZone is not a string"},
    {"suspend", Kind::kBoolean, "spec.suspend is not a boolean"},
    {"concurrencyPolicy", Kind::kString, "spec.concurrencyPolicy is not a string"},
    {"startingDeadlineSeconds", Kind::kNumber, "spec.startingDeadlineSeconds is not a number"},
    {"successfulJobsHistoryLimit", Kind::kNumber,
     "spec.successfulJobsHistoryLimit is not a number"},
    {"failedJobsHistoryLimit", Kind::kNumber, "spec.failedJobsHistoryLimit is not a number"},
    {"jobTemplate", Kind::kObject, "spec.jobTemplate is not an object"},
};

}  // namespace

ConcurrencyPolicy CronJob::policy() const {
  const std::string_view text = spec()["concurrencyPolicy"].string();
  if (text == "Forbid") return ConcurrencyPolicy::kForbid;
  return text == "Replace" ? ConcurrencyPolicy::kReplace : ConcurrencyPolicy::kAllow;
}

std::optional<std::chrono::seconds> CronJob::starting_deadline() const {
  const std::optional<std::int64_t> deadline = spec()["startingDeadlineSeconds"].integer();
  if (!deadline) return std::nullopt;
  return std::chrono::seconds(std::max<std::int64_t>(*deadline, 0));
}

std::optional<std::size_t> CronJob::history_limit(std::string_view condition) const {
  const char* const name =
      condition == "Complete" ? "successfulJobsHistoryLimit" : "failedJobsHistoryLimit";
  const std::optional<std::int64_t> limit = spec()[name].integer();
  if (!limit) return std::nullopt;
  return static_cast<std::size_t>(std::max<std::int64_t>(*limit, 0));
}

std::optional<WallTime> CronJob::earliest() const {
  const std::optional<WallTime> last = last_schedule_time();
  return last ? last : creation_time();
}

bool names_zone(const CronJob& cron_job) {
  return cron_job.schedule().find("TZ") != std::string_view::npos;
}

Result<Schedule> schedule_of(const CronJob& cron_job, const TimeZone& local) {
  std::string text(cron_job.schedule());
  const std::optional<std::string_view> zone = cron_job.time_zone();
  if (zone && !names_zone(cron_job) && TimeZone::load(*zone, local)) {
    text.insert(0, "TZ=" + std::string(*zone) + " ");
  }
  return Schedule::parse(text, local);
}

std::string mistake_in(const CronJob& cron_job) {
  for (const Expected& each : kMembers) {
    const Value value = cron_job.spec()[each.name];
    const Kind kind = value.kind();
    if (kind != each.kind && kind != Kind::kAbsent && kind != Kind::kNull) {
      return std::string(each.mistake);
    }
  }
  return cron_job.earliest() ? "" : "metadata.creationTimestamp is not a time";
}

}  // namespace davit::cronjob
