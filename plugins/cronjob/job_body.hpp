/// The Job of one start. Rule: docs/spec/cronjob.md, 12.
#pragma once

#include <string>

#include "plugins/cronjob/cron_job.hpp"

namespace davit::cronjob {

inline constexpr std::string_view kScheduledTimestamp =
    "batch.kubernetes.io/cronjob-scheduled-timestamp";

/// The same for all starts of a minute, so that a second creation of a start's Job fails.
[[nodiscard]] std::string job_name(const CronJob& cron_job, Instant start);

/// The JSON text of the Job. `zone`: in which its annotation shows the time.
[[nodiscard]] std::string job_body(const CronJob& cron_job, Instant start, const TimeZone& zone);

}  // namespace davit::cronjob
