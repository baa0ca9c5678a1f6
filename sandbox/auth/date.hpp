/// Dates as the API writes them.
#pragma once

#include <string>

#include "lib/base/clock.hpp"

namespace davit::sandbox {

/// "2026-01-02T03:04:05Z"
[[nodiscard]] std::string date_text(WallTime time);

}  // namespace davit::sandbox
