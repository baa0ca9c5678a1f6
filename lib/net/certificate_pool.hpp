/// Judges the certificates that clients show.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/clock.hpp"

namespace davit {

/// The holder of a client's certificate.
struct CertificateSubject {
  std::string common_name;
  std::vector<std::string> organizations = {};
  std::string uid = {};     ///< The field 1.3.6.1.4.1.57683.2, Kubernetes' own; may be empty.
  std::string sha256 = {};  ///< The certificate's sum, in hex.
  WallTime not_after{};
};

/// The time in which a certificate is valid.
struct CertificateTimes {
  WallTime not_before{};
  WallTime not_after{};
};

/// The validity of the first certificate in a PEM text; kInvalid when there is none.
[[nodiscard]] Result<CertificateTimes> certificate_times(std::string_view pem);

/// The subject of the first certificate in a PEM text, whether anyone vouches for it or not;
/// kInvalid when there is none.
[[nodiscard]] Result<CertificateSubject> certificate_subject(std::string_view pem);

/// Authorities that vouch for clients. Immutable; thread-safe.
class CertificatePool {
 public:
  /// kInvalid when there is no certificate in the text.
  [[nodiscard]] static Result<std::shared_ptr<const CertificatePool>> from_pem(
      std::string_view pem);
  ~CertificatePool();
  CertificatePool(const CertificatePool&) = delete;
  CertificatePool& operator=(const CertificatePool&) = delete;

  /// The holder of the first certificate of `chain`, if one in the pool vouches for it at `now`,
  /// directly or through the others, and it is for clients. All in DER. As crypto/x509 in Go, every
  /// certificate in the pool is trusted, self-signed or not, and one that MD5 or SHA-1 signs is
  /// not.
  [[nodiscard]] std::optional<CertificateSubject> verify_client(
      const std::vector<std::string>& chain, WallTime now) const;

  struct Store;  ///< OpenSSL's; only from_pem() can make one.
  explicit CertificatePool(std::unique_ptr<Store> store);

 private:
  const std::unique_ptr<Store> store_;
};

}  // namespace davit
