/// Names of codes for people.
#pragma once

#include <cstdint>
#include <string>

namespace davit::host {

/// "Conflict" for DAVIT_CONFLICT; "unknown code 42" for a number that is none.
[[nodiscard]] std::string code_name(std::int32_t code);

}  // namespace davit::host
