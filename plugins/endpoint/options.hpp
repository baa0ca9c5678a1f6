/// The `config` of this plugin's controllers.
#pragma once

#include <davit/object.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <string_view>

namespace davit::endpoint {

/// The one option that both controllers have, a duration such as "500ms", 0 when absent. kInvalid:
/// no duration, or a member with another name.
[[nodiscard]] Result<Duration> read_batch_period(Value config, std::string_view option);

}  // namespace davit::endpoint
