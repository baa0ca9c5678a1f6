/// The five fields of a schedule: "minute hour day-of-month month day-of-week".
///
/// Follows robfig/cron v3.0.1, as upstream does. Rule: docs/spec/cronjob.md, 8.4 to 8.6.
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/result.hpp>
#include <string_view>

namespace davit::schedule {

/// The values of one field.
struct CronField {
  std::uint64_t values = 0;  ///< Bit n: n is one of them.
  bool starred = false;      ///< One of its items is "*" or "?", without a step above 1.

  [[nodiscard]] bool has(unsigned value) const { return (values >> value & 1U) != 0; }
};

struct CronFields {
  CronField minute;
  CronField hour;
  CronField day_of_month;
  CronField month;
  CronField day_of_week;

  /// kInvalid with robfig's text.
  [[nodiscard]] static Result<CronFields> parse(std::string_view text);

  /// Whether a day of a month that fits is one of a start. If one of both fields of days is
  /// starred, the day must fit both, else one of them.
  [[nodiscard]] bool fits_day(std::chrono::local_days day) const;
  /// Whether a field is without values, as "," is, so that nothing ever fits.
  [[nodiscard]] bool never_fits() const;
};

}  // namespace davit::schedule
