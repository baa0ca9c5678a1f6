/// The PEM texts of a CertificateSigningRequest, as the API server judges them.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace davit {

/// A PKCS#10 request.
struct SigningRequest {
  std::vector<std::string> organizations;  ///< The subject's, in UTF-8.
  Status signature;                        ///< kInvalid: its key did not sign it, or is too short.
};

/// Reads the first PEM block of `pem` (k8s: certificates.ParseCSR). kInvalid if it is none.
[[nodiscard]] Result<SigningRequest> read_signing_request(std::string_view pem);

/// Checks a certificate chain: PEM blocks of type CERTIFICATE without headers, at least one. The
/// kInvalid says why not (k8s: pkg/apis/certificates/validation, validateCertificate).
[[nodiscard]] Status check_certificate_chain(std::string_view pem);

/// Whether a client can take its authorities from a PEM text: a certificate in it can be read.
/// kInvalid with the reason in the words of k8s.io/client-go/transport.
[[nodiscard]] Status check_authorities(std::string_view pem);

}  // namespace davit
