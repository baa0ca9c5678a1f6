/// The labels, provider id and taints that a new Node gets. Pure.
#pragma once

#include <davit/cloud_data.hpp>
#include <davit/kube/node.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace davit::cloud {

/// Whether the Node waits for its machine's facts: it has the taint of new Nodes, with any effect.
[[nodiscard]] bool is_uninitialized(const Node& node);

/// The labels that a Node gets from its machine. Rule: docs/spec/cloud.md, N2.6.
struct MachineLabels {
  std::map<std::string, std::string> set{};
  std::vector<std::string> discarded{};  ///< Those that Kubernetes or the Node has for itself.
};
[[nodiscard]] MachineLabels machine_labels(const Node& node, const CloudMetadata& facts);

/// The one patch that makes a Node known to the scheduler, for this version of it: its provider id,
/// labels, and the taint gone. Rule: N5.
[[nodiscard]] std::string initial_body(const Node& node, const CloudMetadata& facts);

/// A patch that gives the newer labels of zone, region and type the values of the older ones, for
/// this version of the Node; nothing: they agree. Rule: N3.
[[nodiscard]] std::optional<std::string> repeated_labels_body(const Node& node);

}  // namespace davit::cloud
