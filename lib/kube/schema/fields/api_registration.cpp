// apiregistration v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kApiRegistrationFields = R"(
APIService: 1 metadata:meta.ObjectMeta, 2 spec:APIServiceSpec!, 3 status:APIServiceStatus!
APIServiceCondition: 1 type:s!, 2 status:s!, 3 lastTransitionTime:Time!, 4 reason:s, 5 message:s
APIServiceSpec: 1 service:ServiceReference, 2 group:s, 3 version:s, 4 insecureSkipTLSVerify:b,
  5 caBundle:y, 7 groupPriorityMinimum:i!, 8 versionPriority:i!
APIServiceStatus: 1 conditions[]:APIServiceCondition
ServiceReference: 1 namespace:s, 2 name:s, 3 port:i?
)";

}  // namespace

std::string_view api_registration_fields() { return kApiRegistrationFields; }

}  // namespace davit
