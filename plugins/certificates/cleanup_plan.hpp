/// The age of requests. Pure. Rules: docs/spec/certificates.md, parts C and F.
#pragma once

#include <davit/time.hpp>

#include "plugins/certificates/views.hpp"

namespace davit::certificates {

/// Whether a CertificateSigningRequest is of no more use.
[[nodiscard]] bool is_stale(const SigningRequest& object, WallTime now);

/// Whether a PodCertificateRequest is old enough to be deleted, in any state.
[[nodiscard]] bool is_old(const ObjectView& pod_request, WallTime now);

}  // namespace davit::certificates
