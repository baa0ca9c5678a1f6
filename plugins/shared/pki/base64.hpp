/// Base64 (RFC 4648), by OpenSSL.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace davit::pki {

/// Base64 with padding, as in the data of Secrets.
[[nodiscard]] std::string encode_base64(std::string_view bytes);
/// Base64 for URLs, without padding (RFC 4648, section 5).
[[nodiscard]] std::string encode_base64_url(std::string_view bytes);
/// The bytes of a text with padding, as the API server writes it; nothing if it is not base64.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

}  // namespace davit::pki
