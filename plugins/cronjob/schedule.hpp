/// Schedule: the times at which a CronJob starts.
#pragma once

#include <davit/kube/cron.hpp>
#include <davit/result.hpp>
#include <optional>
#include <string_view>

#include "plugins/cronjob/time_zone.hpp"

namespace davit::schedule {

/// Five fields in a time zone, or an interval. Follows robfig/cron v3.0.1, as upstream does. Rules:
/// docs/spec/cronjob.md, 8 and 9. Immutable.
class Schedule {
 public:
  /// Five fields, a descriptor such as "@daily", or "@every 1h30m"; before it perhaps "TZ=" or
  /// "CRON_TZ=", the name of a zone, and a blank. Without a zone it is in `local`, which is the
  /// process's zone. kInvalid with robfig's text.
  [[nodiscard]] static Result<Schedule> parse(std::string_view text, const TimeZone& local);

  /// The first start after `after`. Nothing if there is none within five years: "0 0 30 2 *".
  [[nodiscard]] std::optional<Instant> next(Instant after) const;

 private:
  Schedule(const CronSchedule& cron, const TimeZone& zone) : cron_(cron), zone_(zone) {}

  [[nodiscard]] static Result<Schedule> in_zone(std::string_view text, const TimeZone& zone);

  CronSchedule cron_;
  TimeZone zone_;
};

}  // namespace davit::schedule
