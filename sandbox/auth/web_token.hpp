/// JSON Web Tokens under a shared secret (RFC 7515, HS256).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/kube/json.hpp"

namespace davit::sandbox {

[[nodiscard]] std::string sign_web_token(const Json& claims, std::string_view key);
/// The claims; nothing when `token` is none, or not under this key.
[[nodiscard]] std::optional<Json> open_web_token(std::string_view token, std::string_view key);

/// The claims of any signed token, whose signature is not verified; nothing when `token` is none.
[[nodiscard]] std::optional<Json> read_claims(std::string_view token);

/// Looks like a version 4 UUID and is the same for the same `text` and key.
[[nodiscard]] std::string keyed_uuid(std::string_view text, std::string_view key);

}  // namespace davit::sandbox
