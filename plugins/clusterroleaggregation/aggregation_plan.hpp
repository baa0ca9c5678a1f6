/// The rules of the aggregation controller: what an aggregated ClusterRole contains.
#pragma once

#include <davit/informer.hpp>
#include <davit/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/clusterroleaggregation/cluster_role.hpp"

namespace davit::clusterroles {

/// A rule as the JSON text that is written: its five lists in a fixed order, without empty ones.
/// Two rules are equal exactly if their texts are. The order within a list counts.
[[nodiscard]] std::string rule_text(Value rule);

/// The texts of an array of rules, in its order.
[[nodiscard]] std::vector<std::string> rule_texts(Value rules);

/// The rules that `role` should have: selector by selector, those of the matching roles by name,
/// each rule once. `roles` may contain `role` itself, which is never a source. kInvalid: a selector
/// that cannot be read. Rule: docs/spec/small-controllers.md, D2.
[[nodiscard]] Result<std::vector<std::string>> aggregated_rules(const ClusterRole& role,
                                                                std::vector<ClusterRole> roles);

/// The body of a server-side apply that owns the rules and nothing else. Without rules the member
/// is left out, so that the server removes what this manager owned.
[[nodiscard]] std::string apply_body(std::string_view name, std::span<const std::string> rules);

}  // namespace davit::clusterroles
