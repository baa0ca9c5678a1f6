/// The signers' checks of a request. Pure. Rule: docs/spec/certificates.md, A6.
#pragma once

#include <string>

#include "plugins/certificates/certificate_request.hpp"
#include "plugins/certificates/signers.hpp"
#include "plugins/certificates/views.hpp"

namespace davit::certificates {

/// Why a signer of this kind does not sign, in upstream's words; empty: it does.
[[nodiscard]] std::string refusal(Signer::Check check, const CertificateRequest& request,
                                  const SigningRequest& object);

}  // namespace davit::certificates
