/// Standard base64 with padding (RFC 4648, section 4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace davit {

[[nodiscard]] std::string encode_base64(std::string_view bytes);

/// The bytes; nothing when the text is malformed. Line breaks are skipped, as Go does.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

}  // namespace davit
