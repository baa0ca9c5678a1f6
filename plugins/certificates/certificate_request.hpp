/// A PKCS#10 request, as far as the signers look at it.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/shared/pki/openssl_handles.hpp"

namespace davit::certificates {

/// The attributes of a subject that a certificate takes over, in the order of the request. Others
/// do not exist here. Texts are UTF-8.
struct Subject {
  std::vector<std::string> countries{};
  std::vector<std::string> organizations{};
  std::vector<std::string> units{};
  std::vector<std::string> localities{};
  std::vector<std::string> provinces{};
  std::vector<std::string> streets{};
  std::vector<std::string> postal_codes{};
  std::string common_name{};  ///< The last one.
  std::string serial_number{};
};

/// The names of the extension subjectAltName. Those of other types do not exist here.
struct AlternativeNames {
  std::vector<std::string> dns{};
  std::vector<std::string> emails{};
  std::vector<std::string> addresses{};  ///< 4 or 16 bytes each.
  std::vector<std::string> uris{};

  [[nodiscard]] bool empty() const {
    return dns.empty() && emails.empty() && addresses.empty() && uris.empty();
  }
};

/// Checks and certificates are made of subject() and names() alone, never of the bytes of the
/// request. Rules: docs/spec/certificates.md, A5.5, A7.2, A7.4 and X7.
class CertificateRequest {
 public:
  /// `base64` is spec.request. kInvalid: why it cannot be parsed.
  [[nodiscard]] static Result<CertificateRequest> parse(std::string_view base64);

  [[nodiscard]] const Subject& subject() const { return subject_; }
  [[nodiscard]] const AlternativeNames& names() const { return names_; }
  /// The requester's public key; null if OpenSSL does not know its type.
  [[nodiscard]] EVP_PKEY* key() const { return X509_REQ_get0_pubkey(request_.get()); }
  /// Whether the key is one of the types that are signed, and has signed the request.
  [[nodiscard]] Status verify() const;

 private:
  CertificateRequest(pki::RequestHandle request, Subject subject, AlternativeNames names)
      : request_(std::move(request)), subject_(std::move(subject)), names_(std::move(names)) {}

  pki::RequestHandle request_;
  Subject subject_;
  AlternativeNames names_;
};

}  // namespace davit::certificates
