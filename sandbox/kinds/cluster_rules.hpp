/// The rules of the kinds that the cluster itself consists of.
#pragma once

#include <memory>

#include "sandbox/kinds/kind_rules.hpp"

namespace davit::sandbox {

[[nodiscard]] std::shared_ptr<const KindRules> node_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> namespace_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> lease_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> priority_class_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> runtime_class_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> signing_request_rules(const KindFacts& facts);

}  // namespace davit::sandbox
