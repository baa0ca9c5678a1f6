/// Ages as kubectl and the server's tables show them.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/clock.hpp"

namespace davit::sandbox {

/// "119s", "2m1s", "3h", "47h", "2d1h", "2y": apimachinery's duration.HumanDuration.
[[nodiscard]] std::string human_duration(Duration duration);

/// The time from the RFC 3339 `from` to `now`; "<unknown>" if `from` is not a time.
[[nodiscard]] std::string human_age(std::string_view from, WallTime now);

}  // namespace davit::sandbox
