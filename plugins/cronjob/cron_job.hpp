/// Views of CronJobs and of their Jobs.
#pragma once

#include <chrono>
#include <cstddef>
#include <davit/kube/metadata.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/cronjob/schedule.hpp"
#include "plugins/shared/jobs/job.hpp"

namespace davit::cronjob {

using schedule::Instant;
using schedule::Schedule;
using schedule::TimeZone;

/// The rule for a start while Jobs of earlier starts run.
enum class ConcurrencyPolicy { kAllow, kForbid, kReplace };

class CronJob : public ObjectView {
 public:
  static constexpr Resource kResource = {"batch", "v1", "cronjobs", "CronJob"};
  using ObjectView::ObjectView;

  [[nodiscard]] std::string_view schedule() const { return spec()["schedule"].string(); }
  /// Absent: the process's zone.
  [[nodiscard]] std::optional<std::string_view> time_zone() const {
    return spec()["timeZone"].text();
  }
  [[nodiscard]] bool is_suspended() const { return spec()["suspend"].is_true(); }
  [[nodiscard]] ConcurrencyPolicy policy() const;
  /// A start that is later than this is not made up for; absent: any is.
  [[nodiscard]] std::optional<std::chrono::seconds> starting_deadline() const;
  /// The number of finished Jobs to keep, of those with the condition "Complete" or "Failed";
  /// absent: all.
  [[nodiscard]] std::optional<std::size_t> history_limit(std::string_view condition) const;
  [[nodiscard]] Value job_template() const { return spec()["jobTemplate"]; }

  [[nodiscard]] Value active() const { return status()["active"]; }
  [[nodiscard]] std::optional<WallTime> last_schedule_time() const {
    return parse_time(status()["lastScheduleTime"].string());
  }
  [[nodiscard]] std::optional<WallTime> last_successful_time() const {
    return parse_time(status()["lastSuccessfulTime"].string());
  }
  /// The time after which starts count: of the last one, else of the creation.
  [[nodiscard]] std::optional<WallTime> earliest() const;
};

/// A view of a Job that a CronJob started.
class Job : public jobs::Job {
 public:
  using jobs::Job::Job;

  [[nodiscard]] std::optional<WallTime> start_time() const {
    return parse_time(status()["startTime"].string());
  }
  [[nodiscard]] std::optional<WallTime> completion_time() const {
    return parse_time(status()["completionTime"].string());
  }
};

/// Whether the schedule's text names a time zone, which is not supported but works.
[[nodiscard]] bool names_zone(const CronJob& cron_job);

/// The schedule in its time zone. A zone that is unknown is left out, as upstream does.
[[nodiscard]] Result<Schedule> schedule_of(const CronJob& cron_job, const TimeZone& local);

/// The first member of a wrong type, such as "spec.suspend is not a boolean"; empty: there is none.
/// No server stores such an object, and nothing is started for it.
[[nodiscard]] std::string mistake_in(const CronJob& cron_job);

}  // namespace davit::cronjob
