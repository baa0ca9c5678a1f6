/// Time zones by their IANA names. The one place that knows the library which reads their database
/// (docs/decisions/022-time-zones.md). Rule: docs/spec/cronjob.md, 10.
#pragma once

#include <chrono>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace date {
class time_zone;
}

namespace davit::schedule {

/// Whole seconds of UTC. 64 bits of seconds reach any year, so that no sum of a time and an
/// interval overflows, as it would in nanoseconds from 2262 on.
using Instant = std::chrono::sys_seconds;
/// A date and a time of day in some zone.
using LocalTime = std::chrono::local_seconds;

/// A zone of the database, which stays in memory. Cheap to copy; all functions may be called at
/// once.
class TimeZone {
 public:
  /// UTC.
  TimeZone() = default;

  /// "" and "UTC" are UTC, "Local" is `local`. kInvalid, with Go's text, for a name that the
  /// database does not have. kUnsupported: the machine's database cannot be read.
  [[nodiscard]] static Result<TimeZone> load(std::string_view name, const TimeZone& local);

  /// The zone of this process: what the variable TZ says, if it is set, else the system's zone. UTC
  /// where that is not known. `tz`: the value of the variable.
  [[nodiscard]] static TimeZone of_process(std::optional<std::string_view> tz);

  [[nodiscard]] LocalTime local(Instant time) const {
    return LocalTime(time.time_since_epoch() + offset_at(time));
  }
  /// The instant of a local time; Go's choice if there is none, or if there are two. Rule:
  /// docs/spec/cronjob.md, 9.
  [[nodiscard]] Instant instant(LocalTime local) const;

  /// RFC 3339: "2016-05-19T10:00:00Z", "2016-05-19T06:00:00-04:00".
  [[nodiscard]] std::string text(Instant time) const;

 private:
  /// The time during which an offset from UTC is in force.
  struct Period {
    Instant begin;
    Instant end;
    std::chrono::seconds offset;
  };

  explicit TimeZone(const date::time_zone* zone) : zone_(zone) {}

  [[nodiscard]] Period period_at(Instant time) const;
  [[nodiscard]] std::chrono::seconds offset_at(Instant time) const {
    return period_at(time).offset;
  }

  const date::time_zone* zone_ = nullptr;  // Null: UTC.
};

}  // namespace davit::schedule
