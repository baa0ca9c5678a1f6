/// A new certificate authority: ECDSA keys on P-256, made in less than a millisecond.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <vector>

#include "lib/base/clock.hpp"

namespace davit {

/// A certificate and its private key, both PEM.
struct KeyPair {
  std::string certificate;
  std::string key;
};

enum class CertificateUse { kServer, kClient };

struct CertificateRequest {
  std::string common_name;
  std::vector<std::string> organizations = {};
  CertificateUse use = CertificateUse::kClient;
  std::vector<std::string> dns_names = {};
  std::vector<std::string> addresses = {};  ///< IP addresses.
};

/// The validity of certificates made here. They guard a sandbox on one machine and are renewed at a
/// start if they are about to expire.
inline constexpr Duration kCertificateTime = std::chrono::hours(24 * 365);

/// A self-signed authority. kInternal when OpenSSL refuses.
[[nodiscard]] Result<KeyPair> make_authority(const std::string& common_name, WallTime now);
/// A certificate that `authority` vouches for.
[[nodiscard]] Result<KeyPair> issue_certificate(const KeyPair& authority,
                                                const CertificateRequest& request, WallTime now);
/// A private key in PEM. kInternal when OpenSSL refuses.
[[nodiscard]] Result<std::string> make_private_key();
/// `bytes` unpredictable bytes, as hex digits.
[[nodiscard]] Result<std::string> random_secret(std::size_t bytes);

}  // namespace davit
