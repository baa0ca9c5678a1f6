/// Schedule: when a cron expression of five fields is due, in UTC.
#pragma once

#include <chrono>
#include <davit/kube/cron.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <optional>
#include <string_view>

/// "minute hour day-of-month month day-of-week", as CronFields reads them.
class Schedule {
 public:
  [[nodiscard]] static davit::Result<Schedule> parse(std::string_view text) {
    const davit::Result<davit::CronFields> fields = davit::CronFields::parse(text);
    if (!fields) return fields.error();
    return Schedule(*fields);
  }

  /// The first time after `after`; nothing if there is none within five years: "0 0 30 2 *".
  [[nodiscard]] std::optional<davit::WallTime> next(davit::WallTime after) const {
    using namespace std::chrono;
    auto time = floor<minutes>(after) + minutes(1);
    const auto end = time + years(5);
    while (time < end) {
      const auto day = floor<days>(time);
      const auto hour = floor<hours>(time);
      if (!fits(day)) {
        time = day + days(1);
      } else if (!fields_.hour.has(static_cast<unsigned>((hour - day).count()))) {
        time = hour + hours(1);
      } else if (!fields_.minute.has(static_cast<unsigned>((time - hour).count()))) {
        time += minutes(1);
      } else {
        return time;
      }
    }
    return std::nullopt;
  }

 private:
  explicit Schedule(const davit::CronFields& fields) : fields_(fields) {}

  [[nodiscard]] bool fits(std::chrono::sys_days day) const {
    const std::chrono::year_month_day date(day);
    return fields_.month.has(static_cast<unsigned>(date.month())) &&
           fields_.fits_day(std::chrono::local_days(day.time_since_epoch()));
  }

  davit::CronFields fields_;
};
