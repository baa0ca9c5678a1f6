// certificates v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kCertificatesFields = R"(
CertificateSigningRequest: 1 metadata:meta.ObjectMeta, 2 spec:CertificateSigningRequestSpec!,
  3 status:CertificateSigningRequestStatus!
CertificateSigningRequestCondition: 1 type:s!, 2 reason:s, 3 message:s, 4 lastUpdateTime:Time!,
  5 lastTransitionTime:Time!, 6 status:s!
CertificateSigningRequestSpec: 1 request:y!, 2 username:s, 3 uid:s, 4 groups[]:s, 5 usages[]:s,
  6 extra:{ExtraValue}, 7 signerName:s!, 8 expirationSeconds:i?
CertificateSigningRequestStatus: 1 conditions[]:CertificateSigningRequestCondition, 2 certificate:y
)";

}  // namespace

std::string_view certificates_fields() { return kCertificatesFields; }

}  // namespace davit
