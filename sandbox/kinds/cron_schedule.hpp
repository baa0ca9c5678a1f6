/// The syntax of CronJob schedules and time zones.
#pragma once

#include <string>
#include <string_view>

namespace davit::sandbox {

/// The mistake in five fields or a descriptor such as "@hourly"; empty: none. The words are those
/// of the real server's parser (robfig/cron).
[[nodiscard]] std::string check_cron_schedule(std::string_view schedule);

/// Whether this looks like a name of the IANA database. It does not read the database, so the
/// result is the same on every machine.
[[nodiscard]] bool is_time_zone(std::string_view name);

}  // namespace davit::sandbox
