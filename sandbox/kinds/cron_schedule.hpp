/// The syntax of CronJob schedules and time zones.
#pragma once

#include <string>
#include <string_view>

namespace davit::sandbox {

/// What is wrong with five fields or a descriptor such as "@hourly"; empty: nothing. The words are
/// those of the parser that the real server uses (robfig/cron).
[[nodiscard]] std::string check_cron_schedule(std::string_view schedule);

/// Whether this looks like a name of the IANA database. The database itself is not read, so that
/// the answer is the same on every machine.
[[nodiscard]] bool is_time_zone(std::string_view name);

}  // namespace davit::sandbox
