/// Standard base64 with padding (RFC 4648).
#pragma once

#include <string>
#include <string_view>

namespace davit::host {

[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace davit::host
