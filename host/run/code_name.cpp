#include "host/run/code_name.hpp"

#include <davit/abi.h>

#include <array>
#include <string_view>

namespace davit::host {

std::string code_name(std::int32_t code) {
  // In the order of the codes in abi.h, which are dense.
  static constexpr std::array<std::string_view, 16> kNames = {
      "OK",      "NotFound",  "AlreadyExists", "Conflict",  "Invalid",    "Forbidden",
      "Expired", "Throttled", "Unavailable",   "Cancelled", "Undeclared", "WrongType",
      "Stale",   "Misuse",    "Unsupported",   "Internal",
  };
  static_assert(kNames.size() == DAVIT_INTERNAL + 1);
  if (code < 0 || static_cast<std::size_t>(code) >= kNames.size()) {
    return "unknown code " + std::to_string(code);
  }
  return std::string(kNames[static_cast<std::size_t>(code)]);
}

}  // namespace davit::host
