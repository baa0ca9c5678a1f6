/// How the responses of the control socket name a build. Internal to host/control.
#pragma once

#include <string>

#include "host/swap/swap_report.hpp"

namespace davit::host {

/// A JSON object with version, digest and generation.
[[nodiscard]] std::string json_of(const BuildName& build);

}  // namespace davit::host
