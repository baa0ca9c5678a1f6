/// The least that davit accepts of a TLS peer, as a server and as a client.
#pragma once

#include <openssl/types.h>

#include <davit/result.hpp>
#include <string>
#include <vector>

namespace davit {

/// The lowest security level of OpenSSL for certificates: it refuses signatures with MD5 and SHA-1,
/// as crypto/x509 in Go does, and RSA keys below 1024 bits.
inline constexpr int kCertificateLevel = 1;

/// Removes from the cipher suites of `context` those without forward secrecy (RSA key exchange) or
/// without authentication, and makes kCertificateLevel the least for the peer's certificates. A
/// stricter policy of the system stays. kInvalid if no cipher suite for TLS 1.2 is left.
[[nodiscard]] Status require_strength(SSL_CTX* context);

/// Those of IANA's names that require_strength() removes because they exchange keys with RSA.
[[nodiscard]] std::vector<std::string> without_forward_secrecy(
    const std::vector<std::string>& cipher_suites);

}  // namespace davit
