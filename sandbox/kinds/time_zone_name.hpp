/// Names of time zones.
#pragma once

#include <string_view>

namespace davit::sandbox {

/// Whether this looks like a name of the IANA database. It does not read the database, so the
/// result is the same on every machine.
[[nodiscard]] bool is_time_zone(std::string_view name);

}  // namespace davit::sandbox
