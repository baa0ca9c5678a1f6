/// The manifest's settings for signatures of plugins.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace davit::host {

/// An Ed25519 key whose signatures count.
struct TrustedKey {
  std::string name;        ///< For messages.
  std::string public_key;  ///< 32 bytes.

  friend bool operator==(const TrustedKey&, const TrustedKey&) = default;
};

/// The signatures that plugins need. Without keys, signatures are not read.
struct SignatureSettings {
  std::vector<TrustedKey> keys;
  bool required = true;  ///< False: a plugin without a signature is loaded, too.

  friend bool operator==(const SignatureSettings&, const SignatureSettings&) = default;
};

/// The 32 bytes of an Ed25519 public key: base64 of those, or of the 44 bytes of a
/// SubjectPublicKeyInfo, as between the lines of the PEM file that `openssl pkey -pubout` writes
/// (RFC 8410, section 4). kInvalid: anything else.
[[nodiscard]] Result<std::string> parse_public_key(std::string_view base64);

}  // namespace davit::host
