/// A CA: its certificate and its private key.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "plugins/shared/pki/openssl_handles.hpp"

namespace davit::certificates {

/// The two texts of a CA, in PEM. The key is overwritten when they are destroyed.
struct CaTexts {
  std::string certificate{};
  std::string key{};

  CaTexts() = default;
  CaTexts(CaTexts&&) noexcept = default;
  CaTexts& operator=(CaTexts&&) noexcept = default;
  CaTexts(const CaTexts&) = delete;
  CaTexts& operator=(const CaTexts&) = delete;
  ~CaTexts();
};

/// Whether the texts are a certificate and its key: the gate of a reload.
/// Rule: docs/spec/certificates.md, A3.2.
[[nodiscard]] Status check_pair(const CaTexts& texts);

/// Constant, so that all threads may sign at once. OpenSSL overwrites the key when it is destroyed.
class Authority {
 public:
  /// The parts of the CA that an error is about.
  enum class Part { kCertificate, kKey };
  struct Failure {
    Part part;
    std::string why;
  };

  /// From texts that check_pair() has passed. Null `certificate()`: see `failure`. Rules: A3.3,
  /// A3.4.
  [[nodiscard]] static Authority parse(const CaTexts& texts, Failure& failure);

  /// Null: there is no CA.
  [[nodiscard]] X509* certificate() const { return certificate_.get(); }
  [[nodiscard]] EVP_PKEY* key() const { return key_.get(); }
  /// The end of the CA's validity, in seconds since 1970.
  [[nodiscard]] std::int64_t not_after() const { return not_after_; }

 private:
  Authority() = default;

  pki::CertificateHandle certificate_;
  pki::PrivateKeyHandle key_;
  std::int64_t not_after_ = 0;
};

/// Seconds since 1970. kInvalid: it is not a time.
[[nodiscard]] Result<std::int64_t> seconds_of(const ASN1_TIME* time);

}  // namespace davit::certificates
