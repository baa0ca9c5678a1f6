/// Members of a controller's `config`. Each function reads the member `name` into `out`, which
/// stays as it is if there is none, and returns kInvalid, with upstream's text behind the name, for
/// a value out of its range.
#pragma once

#include <cstddef>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <string_view>

namespace davit::endpoint {

/// A duration, as text.
[[nodiscard]] Status read_period_option(Value config, std::string_view name, Duration& out);
/// The number of endpoints of a slice, 1 to 1,000.
[[nodiscard]] Status read_endpoints_max_option(Value config, std::string_view name,
                                               std::size_t& out);

}  // namespace davit::endpoint
