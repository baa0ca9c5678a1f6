// networking v1.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kNetworkingFields = R"(
HTTPIngressPath: 1 path:s, 2 backend:IngressBackend!, 3 pathType:s?!
HTTPIngressRuleValue: 1 paths[]:HTTPIngressPath!
Ingress: 1 metadata:meta.ObjectMeta, 2 spec:IngressSpec!, 3 status:IngressStatus!
IngressBackend: 3 resource:core.TypedLocalObjectReference, 4 service:IngressServiceBackend
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
ServiceBackendPort: 1 name:s, 2 number:i
IPAddress: 1 metadata:meta.ObjectMeta, 2 spec:IPAddressSpec!
IPAddressSpec: 1 parentRef:ParentReference
ParentReference: 1 group:s, 2 resource:s, 3 namespace:s, 4 name:s
ServiceCIDR: 1 metadata:meta.ObjectMeta, 2 spec:ServiceCIDRSpec!, 3 status:ServiceCIDRStatus!
ServiceCIDRSpec: 1 cidrs[]:s
ServiceCIDRStatus: 1 conditions[]:meta.Condition
)";

}  // namespace

std::string_view networking_fields() { return kNetworkingFields; }

}  // namespace davit
