/// The state of the plugins in words: the text of `davit ctl status`.
#pragma once

#include <string>
#include <vector>

#include "host/swap/serving_plugins.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// Lines for people, without the last line feed: plugins with their controllers, the keys of those
/// that fail, resident builds, and `notes`. Control characters of keys and errors are escaped.
[[nodiscard]] std::string state_text(const SetState& state, const std::vector<std::string>& notes);

/// "1.25 ms"
[[nodiscard]] std::string milliseconds_text(Duration time);

}  // namespace davit::host
