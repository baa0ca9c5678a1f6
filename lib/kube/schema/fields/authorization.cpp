// authorization v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kAuthorizationFields = R"(
FieldSelectorAttributes: 1 rawSelector:s, 2 requirements[]:meta.FieldSelectorRequirement
LabelSelectorAttributes: 1 rawSelector:s, 2 requirements[]:meta.LabelSelectorRequirement
LocalSubjectAccessReview: 1 metadata:meta.ObjectMeta, 2 spec:SubjectAccessReviewSpec!,
  3 status:SubjectAccessReviewStatus!
NonResourceAttributes: 1 path:s, 2 verb:s
NonResourceRule: 1 verbs[]:s!, 2 nonResourceURLs[]:s
ResourceAttributes: 1 namespace:s, 2 verb:s, 3 group:s, 4 version:s, 5 resource:s, 6 subresource:s,
  7 name:s, 8 fieldSelector:FieldSelectorAttributes, 9 labelSelector:LabelSelectorAttributes
ResourceRule: 1 verbs[]:s!, 2 apiGroups[]:s, 3 resources[]:s, 4 resourceNames[]:s
SelfSubjectAccessReview: 1 metadata:meta.ObjectMeta, 2 spec:SelfSubjectAccessReviewSpec!,
  3 status:SubjectAccessReviewStatus!
SelfSubjectAccessReviewSpec: 1 resourceAttributes:ResourceAttributes,
  2 nonResourceAttributes:NonResourceAttributes
SelfSubjectRulesReview: 1 metadata:meta.ObjectMeta, 2 spec:SelfSubjectRulesReviewSpec!,
  3 status:SubjectRulesReviewStatus!
SelfSubjectRulesReviewSpec: 1 namespace:s
SubjectAccessReview: 1 metadata:meta.ObjectMeta, 2 spec:SubjectAccessReviewSpec!,
  3 status:SubjectAccessReviewStatus!
SubjectAccessReviewSpec: 1 resourceAttributes:ResourceAttributes,
  2 nonResourceAttributes:NonResourceAttributes, 3 user:s, 4 groups[]:s, 5 extra:{ExtraValue},
  6 uid:s
SubjectAccessReviewStatus: 1 allowed:b!, 2 reason:s, 3 evaluationError:s, 4 denied:b
SubjectRulesReviewStatus: 1 resourceRules[]:ResourceRule!, 2 nonResourceRules[]:NonResourceRule!,
  3 incomplete:b!, 4 evaluationError:s
)";

}  // namespace

std::string_view authorization_fields() { return kAuthorizationFields; }

}  // namespace davit
