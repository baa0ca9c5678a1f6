/// Makes a certificate. Rule: docs/spec/certificates.md, A7.
#pragma once

#include <davit/result.hpp>
#include <set>
#include <string>
#include <string_view>

#include "plugins/certificates/authority.hpp"
#include "plugins/certificates/certificate_request.hpp"
#include "plugins/certificates/validity.hpp"

namespace davit::certificates {

/// A new certificate in PEM for the key, subject and names of `request`, which has been verified,
/// with nothing else of it. The serial number is from OpenSSL's generator. kInvalid: a usage has no
/// meaning, with upstream's message. `authority` has a certificate.
[[nodiscard]] Result<std::string> issue(const Authority& authority,
                                        const CertificateRequest& request,
                                        const std::set<std::string_view>& usages,
                                        const Validity& validity);

}  // namespace davit::certificates
