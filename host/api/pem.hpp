/// Checks PEM text with OpenSSL, so that a wrong file is reported before the first handshake fails.
#pragma once

#include <davit/result.hpp>
#include <string_view>

namespace davit::host {

/// kInvalid unless `pem` holds at least one certificate and nothing that looks like one is broken.
[[nodiscard]] Status check_certificates(std::string_view pem);

/// kInvalid unless `cert` and `key` are readable and belong together.
[[nodiscard]] Status check_key_pair(std::string_view cert, std::string_view key);

}  // namespace davit::host
