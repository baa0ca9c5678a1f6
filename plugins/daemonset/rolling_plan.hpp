/// The pods to replace in a rolling update. Pure.
#pragma once

#include <cstdint>
#include <davit/object.hpp>
#include <davit/result.hpp>

#include "plugins/daemonset/manage_plan.hpp"
#include "plugins/daemonset/node_pods.hpp"

namespace davit::daemonset {

// Rule: docs/spec/daemonset.md, 13.

/// The number of nodes that a rolling update may disturb at once.
struct RollingLimits {
  std::int64_t unavailable = 0;  ///< Nodes without an available pod.
  std::int64_t surge = 0;        ///< Nodes with a new pod beside an available old one.

  friend bool operator==(const RollingLimits&, const RollingLimits&) = default;
};

/// The limits as a strategy writes them. An absent surge is none.
struct WantedLimits {
  Value unavailable;
  Value surge;
};

/// Percentages of `desired` nodes round up; if both limits are 0, one node may be unavailable.
/// kInvalid: a limit that is neither a number nor a percentage.
[[nodiscard]] Result<RollingLimits> rolling_limits(const WantedLimits& wanted,
                                                   std::int64_t desired);

/// Whether the limit allows at least one pod on a cluster of one node.
[[nodiscard]] Surge surge_of(Value max_surge);

/// The number of nodes that should have a pod.
[[nodiscard]] std::int64_t desired_nodes(const Nodes& nodes);

/// kUnavailable: a pod of an earlier revision is on a node that the cache does not have.
[[nodiscard]] Result<PodChanges> plan_rolling(const Nodes& nodes, const NodePods& pods,
                                              const RollingLimits& limits);

}  // namespace davit::daemonset
