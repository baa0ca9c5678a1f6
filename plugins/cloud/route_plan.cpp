#include "plugins/cloud/route_plan.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <optional>
#include <utility>

#include "plugins/shared/cidrs/cluster_cidrs.hpp"

namespace davit::cloud {
namespace {

enum class RouteAction { kKeep, kAdd, kUpdate };

/// Two texts of one destination have one key.
std::string destination_key(const std::string& text) {
  const std::optional<ip::Prefix> prefix = cidrs::parse_cidr(text);
  return prefix ? prefix->text() : text;
}

/// Whether the route is one of this cluster: others may be of another one that shares the network.
bool is_ours(const CloudRoute& route, std::span<const ip::Prefix> cluster) {
  const std::optional<ip::Prefix> destination = cidrs::parse_cidr(route.destination);
  if (!destination) return false;
  return std::any_of(cluster.begin(), cluster.end(), [&](const ip::Prefix& each) {
    return each.contains(destination->first()) || each.contains(destination->last());
  });
}

/// Order and repetition do not count.
bool have_same_addresses(std::vector<CloudAddress> a, std::vector<CloudAddress> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

/// The routes of a pass, by target; the pointers are into the list.
using RoutesByNode = std::map<std::string, std::vector<const CloudRoute*>>;

RouteAction action_of(const std::vector<const CloudRoute*>& routes, const std::string& cidr,
                      const RoutedNode& node) {
  for (const CloudRoute* const each : routes) {
    if (each->destination != cidr) continue;
    const bool is_right =
        !each->follows_addresses || have_same_addresses(each->addresses, node.addresses);
    return is_right ? RouteAction::kKeep : RouteAction::kUpdate;
  }
  return RouteAction::kAdd;
}

}  // namespace

RoutedNode RoutedNode::from(const Node& node) {
  RoutedNode out{std::string(node.name()),
                 std::string(node.uid()),
                 read_addresses(node.status()["addresses"]),
                 {}};
  for (const Value each : node.spec()["podCIDRs"].elements()) out.cidrs.emplace_back(each.string());
  return out;
}

RoutePlan plan_routes(std::span<const RoutedNode> nodes, std::span<const CloudRoute> listed,
                      std::span<const ip::Prefix> cluster) {
  RoutesByNode by_node;
  for (const CloudRoute& each : listed) {
    if (!each.node.empty()) by_node[each.node].push_back(&each);
  }
  RoutePlan plan;
  plan.removes_first = !listed.empty() && listed.front().follows_addresses;
  std::map<std::string, std::map<std::string, RouteAction>> actions;
  for (const RoutedNode& node : nodes) {
    const auto routes = by_node.find(node.name);
    if (node.cidrs.empty() && routes == by_node.end()) continue;
    RoutedNodeState& state = plan.nodes[node.name];
    state.uid = node.uid;
    state.has_cidrs = !node.cidrs.empty();
    for (const std::string& cidr : node.cidrs) {
      const RouteAction action =
          routes == by_node.end() ? RouteAction::kAdd : action_of(routes->second, cidr, node);
      actions[node.name][cidr] = action;
      if (action == RouteAction::kKeep) continue;
      state.missing.insert(cidr);
      CloudRoute route{.name = {}, .node = node.name, .destination = cidr};
      route.addresses = node.addresses;
      plan.work[destination_key(cidr)].create.push_back({node.uid, std::move(route)});
    }
  }
  for (const CloudRoute& route : listed) {
    if (!is_ours(route, cluster) && !mutant("route-of-another-cluster")) continue;
    const auto& of_node = actions[route.node];
    const auto action = of_node.find(route.destination);
    const bool is_right = action != of_node.end() && action->second != RouteAction::kUpdate;
    if (is_right && !route.is_blackhole) continue;
    plan.work[destination_key(route.destination)].remove.push_back(route);
  }
  return plan;
}

}  // namespace davit::cloud
