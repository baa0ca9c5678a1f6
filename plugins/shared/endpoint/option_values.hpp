/// Members of a controller's `config`. Each function returns kInvalid, with upstream's text behind
/// the name of the option, for a value out of its range.
#pragma once

#include <cstddef>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <string_view>

namespace davit::endpoint {

/// A duration, as text.
[[nodiscard]] Status read_period_option(const Member& member, Duration& out);
/// The number of endpoints of a slice, 1 to 1,000.
[[nodiscard]] Status read_endpoints_max_option(const Member& member, std::size_t& out);
/// The refusal of an option that does not exist. `known`: those that do.
[[nodiscard]] Status unknown_option(const Member& member, std::string_view known);

}  // namespace davit::endpoint
