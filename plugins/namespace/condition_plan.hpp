/// The conditions of a namespace that is being deleted. Pure;
/// kubernetes:pkg/controller/namespace/deletion/status_condition_utils.go.
#pragma once

#include <davit/kube/time.hpp>
#include <davit/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plugins/namespace/content_plan.hpp"

namespace davit::namespaces {

/// The findings of one sync.
struct Findings {
  std::optional<std::string> discovery;  ///< The condition's message.
  std::optional<std::string> parsing;
  std::vector<std::string> content;  ///< Errors of deleting.
  ContentTotals totals;
};

/// The message about a discovery that failed for `failures` group versions only.
[[nodiscard]] std::string partial_discovery_message(const std::vector<std::string>& failures);

/// The conditions to write, as a JSON array; nothing if those that are there say the same. Members
/// and conditions that others wrote stay as they are, in their places.
[[nodiscard]] std::optional<std::string> plan_conditions(Value present, const Findings& findings,
                                                         WallTime now);

}  // namespace davit::namespaces
