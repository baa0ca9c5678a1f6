/// Chooses the node of a pod. Pure.
#pragma once

#include <davit/kube/pod_resources.hpp>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit::sandbox {

/// The resources that a pod takes from its node.
struct PodShare {
  ResourceList<> requests;          ///< Those that pod_resources() counts.
  std::set<std::string> ports;      ///< Host ports: "TCP/80".
  std::vector<std::string> claims;  ///< Those of its volumes: "namespace/name".
  bool has_devices = false;         ///< It has device claims.
};
[[nodiscard]] PodShare pod_share(const Json& pod);

/// The resources of a node, and those that its pods use.
struct NodeCapacity {
  std::string name;
  Json labels;
  Json taints;
  bool unschedulable = false;
  ResourceList<> allocatable;
  ResourceList<> used;
  std::int64_t pods = 0;
  std::int64_t pods_max = 0;
  std::multiset<std::string> ports;
  std::multiset<std::string> claims;

  void add(const PodShare& share);
  void remove(const PodShare& share);
};
/// The parts that the Node object holds; `used`, `pods` and `ports` stay.
void update_capacity(NodeCapacity& capacity, const Json& node);

/// A node, or why there is none.
struct Choice {
  const NodeCapacity* node = nullptr;
  /// "0/2 nodes are available: 1 Insufficient cpu, …."; empty: not to be reported.
  std::string message;
  bool is_error = false;  ///< The reason is an invalid object, not a lack of capacity.
};

/// A further reason why a node does not take the pod; empty: none.
using NodeFilter = std::function<std::string(const NodeCapacity&)>;
/// A score of a node that passed the filter; the highest wins.
using NodeScore = std::function<std::int64_t(const NodeCapacity&)>;

/// The node with the fewest pods of those that accept it; the first of equals. Nodes that the pod
/// would rather avoid (PreferNoSchedule) come last; otherwise the score counts more.
[[nodiscard]] Choice schedule(const Json& pod_spec, const PodShare& share,
                              const std::vector<const NodeCapacity*>& nodes,
                              const NodeFilter& filter = nullptr, const NodeScore& score = nullptr);
/// "0/2 nodes are available: REFUSAL.": one that is the same for all nodes.
[[nodiscard]] std::string refused_by_all(std::size_t nodes, const std::string& refusal);

}  // namespace davit::sandbox
