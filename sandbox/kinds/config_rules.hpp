/// The rules of configuration, of storage and of what bounds workloads.
#pragma once

#include <memory>

#include "sandbox/kinds/kind_rules.hpp"

namespace davit::sandbox {

[[nodiscard]] std::shared_ptr<const KindRules> config_map_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> secret_rules(const KindFacts& facts);

[[nodiscard]] std::shared_ptr<const KindRules> claim_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> volume_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> storage_class_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> attributes_class_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> volume_attachment_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> csi_driver_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> csi_node_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> storage_capacity_rules(const KindFacts& facts);

[[nodiscard]] std::shared_ptr<const KindRules> disruption_budget_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> autoscaler_rules(const KindFacts& facts);
/// autoscaling/v1; see conversion.hpp.
[[nodiscard]] std::shared_ptr<const KindRules> autoscaler_v1_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> quota_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> limit_range_rules(const KindFacts& facts);

/// Role and ClusterRole.
[[nodiscard]] std::shared_ptr<const KindRules> role_rules(const KindFacts& facts);
/// RoleBinding and ClusterRoleBinding.
[[nodiscard]] std::shared_ptr<const KindRules> role_binding_rules(const KindFacts& facts);

}  // namespace davit::sandbox
