/// The part of a CertificateSigningRequest that depends on who writes it
/// (k8s: plugin/pkg/admission/certificates, pkg/registry/certificates).
#pragma once

#include <string>
#include <string_view>

#include "lib/kube/json.hpp"
#include "sandbox/auth/auth.hpp"

namespace davit::sandbox {

/// A write of a CertificateSigningRequest.
struct SigningWrite {
  const UserInfo& who;
  std::string_view subresource;  ///< "approval", "status"; empty: the object.
  const Json& next;
  const Json& old;  ///< Null when the write creates.
};

/// The text of the 403 after "is forbidden: ": the requester may not use the signer in this way, or
/// asks for a client certificate of system:masters. Empty: the write is admitted.
/// docs/spec/certificates.md, H1.6.
[[nodiscard]] std::string signer_refusal(const SigningWrite& write, const Authorizer& authorizer);

/// Sets the requester in the spec of a new request, regardless of what the client sent. H1.1.
void stamp_requester(Json& request, const UserInfo& who);

/// Gives conditions without times `now`, in the API's form; one that `old` has keeps the time of
/// its transition. H1.4.
void stamp_conditions(Json& request, const Json& old, std::string_view now);

}  // namespace davit::sandbox
