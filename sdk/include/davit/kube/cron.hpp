/// Cron schedules: the syntax of a CronJob's `spec.schedule`, without time zones.
///
/// Follows robfig/cron v3.0.1, as Kubernetes does. Rule: docs/spec/cronjob.md, 8.3 to 8.6.
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/result.hpp>
#include <string_view>

namespace davit {

/// The values of one field of a schedule.
struct CronField {
  std::uint64_t values = 0;  ///< Bit n: n is one of them.
  bool starred = false;      ///< One of its items is "*" or "?", without a step above 1.

  [[nodiscard]] bool has(unsigned value) const { return (values >> value & 1U) != 0; }
};

/// "minute hour day-of-month month day-of-week".
struct CronFields {
  CronField minute;
  CronField hour;
  CronField day_of_month;
  CronField month;
  CronField day_of_week;  ///< 0 is Sunday.

  /// kInvalid with robfig's text.
  [[nodiscard]] static Result<CronFields> parse(std::string_view text);

  /// Whether both fields of days let a start happen on `day`. If one of them is starred, the day
  /// must fit both, else one of them. The month is not asked.
  [[nodiscard]] bool fits_day(std::chrono::local_days day) const;
  /// Whether a field has no values, as "," has none, so that nothing ever fits.
  [[nodiscard]] bool never_fits() const;
};

/// A whole schedule: fields, or the interval of "@every".
struct CronSchedule {
  CronFields fields = {};            ///< Unused if there is an interval.
  std::chrono::seconds interval{0};  ///< At least a second; 0: the fields count.

  /// Five fields, a descriptor such as "@daily", or "@every 1h30m"; no time zone before them.
  /// kInvalid with robfig's text.
  [[nodiscard]] static Result<CronSchedule> parse(std::string_view text);
};

}  // namespace davit
