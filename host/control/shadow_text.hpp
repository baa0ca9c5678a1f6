/// The report of a shadow, as one line of JSON. Internal to host/control.
#pragma once

#include <string>

#include "host/swap/shadow.hpp"

namespace davit::host {

/// With the end of the line.
[[nodiscard]] std::string line_of(const ShadowReport& report);

}  // namespace davit::host
