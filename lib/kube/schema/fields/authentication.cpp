// authentication v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kAuthenticationFields = R"(
BoundObjectReference: 1 kind:s, 2 apiVersion:s, 3 name:s, 4 uid:s
SelfSubjectReview: 1 metadata:meta.ObjectMeta, 2 status:SelfSubjectReviewStatus!
SelfSubjectReviewStatus: 1 userInfo:UserInfo!
TokenRequest: 1 metadata:meta.ObjectMeta, 2 spec:TokenRequestSpec!, 3 status:TokenRequestStatus!
TokenRequestSpec: 1 audiences[]:s!, 3 boundObjectRef:BoundObjectReference?!, 4 expirationSeconds:l?!
TokenRequestStatus: 1 token:s!, 2 expirationTimestamp:Time!
TokenReview: 1 metadata:meta.ObjectMeta, 2 spec:TokenReviewSpec!, 3 status:TokenReviewStatus!
TokenReviewSpec: 1 token:s, 2 audiences[]:s
TokenReviewStatus: 1 authenticated:b, 2 user:UserInfo!, 3 error:s, 4 audiences[]:s
UserInfo: 1 username:s, 2 uid:s, 3 groups[]:s, 4 extra:{ExtraValue}
)";

}  // namespace

std::string_view authentication_fields() { return kAuthenticationFields; }

}  // namespace davit
