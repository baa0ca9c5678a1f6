// networking v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kNetworkingFields = R"(
HTTPIngressPath: 1 path:s, 2 backend:IngressBackend!, 3 pathType:s?!
HTTPIngressRuleValue: 1 paths[]:HTTPIngressPath!
IPAddress: 1 metadata:meta.ObjectMeta, 2 spec:IPAddressSpec!
IPAddressSpec: 1 parentRef:ParentReference
IPBlock: 1 cidr:s!, 2 except[]:s
Ingress: 1 metadata:meta.ObjectMeta, 2 spec:IngressSpec!, 3 status:IngressStatus!
IngressBackend: 3 resource:core.TypedLocalObjectReference, 4 service:IngressServiceBackend
IngressClass: 1 metadata:meta.ObjectMeta, 2 spec:IngressClassSpec!
IngressClassParametersReference: 1 apiGroup:s?, 2 kind:s!, 3 name:s!, 4 scope:s?!, 5 namespace:s?
IngressClassSpec: 1 controller:s, 2 parameters:IngressClassParametersReference
IngressLoadBalancerIngress: 1 ip:s, 2 hostname:s, 4 ports[]:IngressPortStatus
IngressLoadBalancerStatus: 1 ingress[]:IngressLoadBalancerIngress
IngressPortStatus: 1 port:i!, 2 protocol:s!, 3 error:s?
IngressRule: 1 host:s, 2 ingressRuleValue:IngressRuleValue^
IngressRuleValue: 1 http:HTTPIngressRuleValue
IngressServiceBackend: 1 name:s!, 2 port:ServiceBackendPort!
IngressSpec: 1 defaultBackend:IngressBackend, 2 tls[]:IngressTLS, 3 rules[]:IngressRule,
  4 ingressClassName:s?
IngressStatus: 1 loadBalancer:IngressLoadBalancerStatus!
IngressTLS: 1 hosts[]:s, 2 secretName:s
NetworkPolicy: 1 metadata:meta.ObjectMeta, 2 spec:NetworkPolicySpec!
NetworkPolicyEgressRule: 1 ports[]:NetworkPolicyPort, 2 to[]:NetworkPolicyPeer
NetworkPolicyIngressRule: 1 ports[]:NetworkPolicyPort, 2 from[]:NetworkPolicyPeer
NetworkPolicyPeer: 1 podSelector:meta.LabelSelector, 2 namespaceSelector:meta.LabelSelector,
  3 ipBlock:IPBlock
NetworkPolicyPort: 1 protocol:s?, 2 port:IntOrString, 3 endPort:i?
NetworkPolicySpec: 1 podSelector:meta.LabelSelector!, 2 ingress[]:NetworkPolicyIngressRule,
  3 egress[]:NetworkPolicyEgressRule, 4 policyTypes[]:s
ParentReference: 1 group:s, 2 resource:s, 3 namespace:s, 4 name:s
ServiceBackendPort: 1 name:s, 2 number:i
ServiceCIDR: 1 metadata:meta.ObjectMeta, 2 spec:ServiceCIDRSpec!, 3 status:ServiceCIDRStatus!
ServiceCIDRSpec: 1 cidrs[]:s
ServiceCIDRStatus: 1 conditions[]:meta.Condition
)";

}  // namespace

std::string_view networking_fields() { return kNetworkingFields; }

}  // namespace davit
