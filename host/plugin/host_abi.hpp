/// The capability tables that plugins get (abi.h).
#pragma once

#include <davit/abi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "lib/base/clock.hpp"

namespace davit::host {

/// The table of a host capability, or null. Lives as long as the process; thread-safe.
[[nodiscard]] const void* host_capability(std::string_view id);

/// The context for init() of a controller of this name; borrows the name.
[[nodiscard]] davit_context make_context(std::string_view controller);

/// A number of milliseconds from a plugin, limited to 400 days: beyond any sense, and no overflow
/// of time points.
[[nodiscard]] inline Duration milliseconds_of(std::uint64_t count) {
  constexpr std::uint64_t kMostMs = std::uint64_t{400} * 24 * 3600 * 1000;
  return std::chrono::milliseconds(std::min(count, kMostMs));
}

}  // namespace davit::host
