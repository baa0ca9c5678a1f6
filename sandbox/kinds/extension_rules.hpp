/// The rules of the kinds that extend the server (webhooks, admission policies, APIServices), and
/// of those that ask it for devices and shares of its attention.
#pragma once

#include <memory>

#include "sandbox/kinds/kind_rules.hpp"

namespace davit::sandbox {

/// Validating and mutating webhook configurations.
[[nodiscard]] std::shared_ptr<const KindRules> webhook_rules(const KindFacts& facts);
/// Validating and mutating admission policies, and their bindings.
[[nodiscard]] std::shared_ptr<const KindRules> admission_policy_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> api_service_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> flow_schema_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> priority_level_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> resource_claim_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> resource_claim_template_rules(
    const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> device_class_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> resource_slice_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> device_taint_rule_rules(const KindFacts& facts);

}  // namespace davit::sandbox
