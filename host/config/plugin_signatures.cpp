#include "host/config/plugin_signatures.hpp"

#include <optional>

#include "lib/base/base64.hpp"

namespace davit::host {

Result<std::string> parse_public_key(std::string_view base64) {
  constexpr std::size_t kKeyBytes = 32;
  // A SubjectPublicKeyInfo of this kind begins with these bytes, and the key follows.
  constexpr std::string_view kPrefix("\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00", 12);
  const std::optional<std::string> bytes = decode_base64(base64);
  std::string_view key = bytes ? std::string_view(*bytes) : std::string_view();
  if (key.starts_with(kPrefix)) key.remove_prefix(kPrefix.size());
  if (key.size() == kKeyBytes) return std::string(key);
  return Status(Code::kInvalid,
                "must be an Ed25519 public key in base64, as davit plugin keygen prints it");
}

}  // namespace davit::host
