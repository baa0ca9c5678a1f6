// NetworkPolicy and IngressClass of networking v1.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kNetworkingPolicyFields = R"(
IPBlock: 1 cidr:s!, 2 except[]:s
IngressClass: 1 metadata:meta.ObjectMeta, 2 spec:IngressClassSpec!
IngressClassParametersReference: 1 apiGroup:s?, 2 kind:s!, 3 name:s!, 4 scope:s?!, 5 namespace:s?
IngressClassSpec: 1 controller:s, 2 parameters:IngressClassParametersReference
NetworkPolicy: 1 metadata:meta.ObjectMeta, 2 spec:NetworkPolicySpec!
NetworkPolicyEgressRule: 1 ports[]:NetworkPolicyPort, 2 to[]:NetworkPolicyPeer
NetworkPolicyIngressRule: 1 ports[]:NetworkPolicyPort, 2 from[]:NetworkPolicyPeer
NetworkPolicyPeer: 1 podSelector:meta.LabelSelector, 2 namespaceSelector:meta.LabelSelector,
  3 ipBlock:IPBlock
NetworkPolicyPort: 1 protocol:s?, 2 port:IntOrString, 3 endPort:i?
NetworkPolicySpec: 1 podSelector:meta.LabelSelector!, 2 ingress[]:NetworkPolicyIngressRule,
  3 egress[]:NetworkPolicyEgressRule, 4 policyTypes[]:s
)";

}  // namespace

std::string_view networking_policy_fields() { return kNetworkingPolicyFields; }

}  // namespace davit
