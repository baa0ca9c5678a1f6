/// The calls that a pass over the routes needs. Pure.
#pragma once

#include <davit/cloud_data.hpp>
#include <davit/kube/ip.hpp>
#include <davit/kube/node.hpp>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace davit::cloud {

/// The facts of a Node that its routes follow from.
struct RoutedNode {
  std::string name;
  std::string uid;
  std::vector<CloudAddress> addresses;
  std::vector<std::string> cidrs;

  [[nodiscard]] static RoutedNode from(const Node& node);
};

/// A route that is missing.
struct NewRoute {
  std::string node_uid;  ///< The hint for its name.
  CloudRoute route;
};

/// The work for one destination, in its order: nothing is created beside what is removed (D9).
struct DestinationWork {
  std::vector<CloudRoute> remove{};
  std::vector<NewRoute> create{};
};

/// The routes of a Node, as far as a pass knows them.
struct RoutedNodeState {
  std::string uid;
  std::set<std::string> missing{};  ///< CIDRs without a route.
  bool has_cidrs = false;

  /// Whether its network is available. A Node without CIDRs to which routes lead has none.
  [[nodiscard]] bool is_routed() const { return has_cidrs && missing.empty(); }
};

struct RoutePlan {
  std::map<std::string, DestinationWork> work{};  ///< The key is the destination in canonical form.
  bool removes_first = false;                     ///< All removals come before all creations.
  std::map<std::string, RoutedNodeState> nodes{};  ///< Those that get a condition, by name.
};

/// Rule: docs/spec/cloud.md, B2.
[[nodiscard]] RoutePlan plan_routes(std::span<const RoutedNode> nodes,
                                    std::span<const CloudRoute> listed,
                                    std::span<const ip::Prefix> cluster);

}  // namespace davit::cloud
