/// SHA-256.
#pragma once

#include <string>
#include <string_view>

namespace davit::host {

/// 64 lower-case hex digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace davit::host
