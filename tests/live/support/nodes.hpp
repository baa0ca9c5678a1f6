/// The health of a cluster's nodes.
#pragma once

#include <string>
#include <vector>

#include "tests/live/support/control_plane.hpp"

namespace davit::live {

/// Each node in a line, as "node-1 node.kubernetes.io/unreachable Unknown": its name, the keys of
/// its taints and the status of its Ready condition. Empty while the server cannot be asked.
[[nodiscard]] std::vector<std::string> node_lines(const ControlPlane& cluster);
/// Whether the node of that line is Ready and has no taint.
[[nodiscard]] bool is_well(const std::string& line);
/// The number of healthy nodes.
[[nodiscard]] int well_nodes(const ControlPlane& cluster);

}  // namespace davit::live
