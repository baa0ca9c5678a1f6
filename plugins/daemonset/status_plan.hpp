/// The counters of a DaemonSet's status. Pure.
#pragma once

#include <cstdint>

#include "plugins/daemonset/daemon_set.hpp"
#include "plugins/daemonset/manage_plan.hpp"
#include "plugins/daemonset/node_pods.hpp"

namespace davit::daemonset {

/// Numbers of nodes. The pod of a node is its first one in the order of NodePods.
struct DaemonCounts {
  std::int64_t desired = 0;       ///< Should have a pod.
  std::int64_t current = 0;       ///< Should, and have one.
  std::int64_t misscheduled = 0;  ///< Should not, and have one.
  std::int64_t ready = 0;         ///< Should, and its pod is ready.
  std::int64_t updated = 0;       ///< Should, and its pod is of the present revision.
  std::int64_t available = 0;     ///< Should, and its pod is available.

  [[nodiscard]] std::int64_t unavailable() const { return desired - available; }

  friend bool operator==(const DaemonCounts&, const DaemonCounts&) = default;
};

/// Rule: docs/spec/daemonset.md, 15.
[[nodiscard]] DaemonCounts count_nodes(const Nodes& nodes, const NodePods& pods);

/// Whether the status of the set has these counters already.
[[nodiscard]] bool has_counts(const DaemonSet& set, const DaemonCounts& counts);

}  // namespace davit::daemonset
