/// The rules of Services, Endpoints, EndpointSlices, Ingresses, NetworkPolicies and addresses.
#pragma once

#include <memory>

#include "lib/kube/validation/field_path.hpp"
#include "sandbox/kinds/kind_rules.hpp"

namespace davit::sandbox {

[[nodiscard]] std::shared_ptr<const KindRules> service_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> endpoints_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> endpoint_slice_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> ingress_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> ingress_class_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> service_cidr_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> ip_address_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> network_policy_rules(const KindFacts& facts);

/// Its spec.type.
[[nodiscard]] inline const std::string& service_type(const Json& service) {
  return service.text_at({"spec", "type"});
}
/// Whether spec.clusterIP is "None": the Service has no address.
[[nodiscard]] bool is_headless(const Json& service);
/// Every type but ExternalName.
[[nodiscard]] bool needs_cluster_ip(const Json& service);
/// NodePort, and LoadBalancer unless it opts out.
[[nodiscard]] bool needs_node_port(const Json& service);
/// A LoadBalancer whose traffic stays on the node.
[[nodiscard]] bool needs_health_check_port(const Json& service);

/// The rules of a Service's spec except those of updates (k8s: ValidateService).
void check_service(const Json& service, FieldErrors& errors);
/// Checks the fields that an update may not change.
void check_service_update(const Json& service, const Json& old, FieldErrors& errors);

}  // namespace davit::sandbox
