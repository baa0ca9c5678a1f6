#include "plugins/cronjob/start_plan.hpp"

#include <algorithm>
#include <chrono>

namespace davit::cronjob {
namespace {

using std::chrono::floor;
using std::chrono::seconds;

constexpr std::int64_t kManyMissed = 100;
/// A start is looked for a little later than it is due: a timer that fires early finds nothing.
constexpr Duration kWakeUpSlack = std::chrono::milliseconds(100);
/// Delays and deadlines beyond it would overflow nanoseconds; nothing that is due then is seen.
constexpr seconds kLongest = std::chrono::years(100);

}  // namespace

Result<RecentStart> recent_start(const Schedule& schedule, WallTime earliest, WallTime now) {
  const Instant present = floor<seconds>(now);
  const std::optional<Instant> first = schedule.next(floor<seconds>(earliest));
  if (first && present < *first) return RecentStart{};
  const std::optional<Instant> second = first ? schedule.next(*first) : std::nullopt;
  if (second && present < *second) return RecentStart{.start = first};
  if (!second) {
    return Status(Code::kInvalid, "time difference between two schedules is less than 1 second");
  }
  const seconds gap = *second - *first;
  const std::int64_t missed = (present - *first) / gap + 1;
  RecentStart out;
  out.missed = missed > kManyMissed ? Missed::kMany : Missed::kFew;
  std::optional<Instant> start = schedule.next(*first + (missed - 2) * gap);
  for (; start && *start <= present; start = schedule.next(*start)) out.start = start;
  return out;
}

Result<RecentStart> unmet_start(const Schedule& schedule, const CronJob& cron_job, WallTime now) {
  WallTime earliest = cron_job.earliest().value_or(now);
  const std::optional<seconds> deadline = cron_job.starting_deadline();
  if (deadline && *deadline < kLongest) earliest = std::max(earliest, now - *deadline);
  return recent_start(schedule, earliest, now);
}

std::optional<Duration> wake_up_delay(const Schedule& schedule, WallTime earliest, WallTime now) {
  const Result<RecentStart> recent = recent_start(schedule, earliest, now);
  Instant base = floor<seconds>(now);
  if (recent && recent->start) base = *recent->start;
  if (recent && !recent->start && recent->missed == Missed::kNone) base = floor<seconds>(earliest);
  const std::optional<Instant> next = schedule.next(base);
  if (!next) return std::nullopt;
  if (*next - floor<seconds>(now) > kLongest) return kLongest;
  return WallTime(*next) + kWakeUpSlack - now;
}

}  // namespace davit::cronjob
