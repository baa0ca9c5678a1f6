/// Names of builds in the control socket's responses. Internal to host/control.
#pragma once

#include <string>

#include "host/swap/swap_report.hpp"

namespace davit::host {

/// A JSON object with version, digest and generation.
[[nodiscard]] std::string json_of(const BuildName& build);

}  // namespace davit::host
