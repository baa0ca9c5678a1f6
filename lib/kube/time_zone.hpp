/// Time zones by their IANA names, as Go's time.LoadLocation() finds them. The one file of the
/// libraries that knows the database (docs/decisions/022-time-zones.md). Thread-safe.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <string_view>

namespace davit {

/// Whether the machine's database has the zone. Zones are accepted by their area where the machine
/// has no database.
[[nodiscard]] bool is_time_zone(std::string_view name);

/// The offset from UTC in seconds of a zone, or of "+01:30", at a time in seconds since 1970.
/// kInvalid with Go's message for other texts.
[[nodiscard]] Result<std::int64_t> zone_offset(std::string_view zone, std::int64_t seconds);

}  // namespace davit
