/// Whether a Node is ready.
#pragma once

#include <davit/kube/node.hpp>
#include <optional>

namespace davit::nodes {

/// Whether its condition Ready is True; a Node without the condition is not ready.
[[nodiscard]] inline bool is_ready(const Node& node) {
  const std::optional<ConditionView> ready = node.condition("Ready");
  return ready && ready->is_true();
}

}  // namespace davit::nodes
