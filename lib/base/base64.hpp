/// Standard base64 with padding (RFC 4648, section 4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace davit {

[[nodiscard]] std::string encode_base64(std::string_view bytes);

/// The decoded bytes; nothing if the text is malformed. Skips line breaks, as Go does.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

}  // namespace davit
