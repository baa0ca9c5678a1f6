/// Decides which start of a schedule is due, and when to look again. Rule:
/// docs/spec/cronjob.md, 11.
#pragma once

#include <davit/result.hpp>
#include <davit/time.hpp>
#include <optional>

#include "plugins/cronjob/cron_job.hpp"

namespace davit::cronjob {

/// The number of starts that were missed before the one that is due.
enum class Missed {
  kNone,
  kFew,
  kMany,  ///< More than 100, which hints at a wrong clock.
};

struct RecentStart {
  std::optional<Instant> start;  ///< The latest start that has passed.
  Missed missed = Missed::kNone;

  friend bool operator==(const RecentStart&, const RecentStart&) = default;
};

/// The latest start of (earliest, now]. The number of missed starts is an estimate from the
/// distance of the first two, so with an uneven schedule the result may be none although starts
/// were missed. kInvalid: the schedule has no starts.
[[nodiscard]] Result<RecentStart> recent_start(const Schedule& schedule, WallTime earliest,
                                               WallTime now);

/// The same for the start that is to be made up for: not one that is past the deadline.
[[nodiscard]] Result<RecentStart> unmet_start(const Schedule& schedule, const CronJob& cron_job,
                                              WallTime now);

/// From `now` to just after the next start. Nothing: there is none.
[[nodiscard]] std::optional<Duration> wake_up_delay(const Schedule& schedule, WallTime earliest,
                                                    WallTime now);

}  // namespace davit::cronjob
