/// Durations as Go writes them: "1h30m", "1.5s", "300ms", "0".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/base/clock.hpp"

namespace davit::host {

/// Go's time.ParseDuration: a sign, then decimal numbers with a unit each (ns, us, µs, ms, s, m,
/// h), or "0". Nothing for anything else and for what does not fit 64 bits of nanoseconds.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);

/// Go's Duration.String: "1h30m0s", "1.5s", "0s".
[[nodiscard]] std::string format_duration(Duration value);

}  // namespace davit::host
