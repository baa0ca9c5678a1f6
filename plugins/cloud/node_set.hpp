/// The Nodes that a load balancer may send to.
#pragma once

#include <cstddef>
#include <davit/kube/node.hpp>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace davit::cloud {

/// A boolean as strconv.ParseBool reads it: whether the text is one of those that mean false.
[[nodiscard]] bool is_false(std::string_view text);

/// Whether no label keeps the Node out of load balancers. Rule: docs/spec/cloud.md, A1.
[[nodiscard]] bool is_included(const Node& node);
/// Whether load balancers get the Node. Readiness and cordons do not count. Rule: A1.
[[nodiscard]] bool takes_traffic(const Node& node);

/// The names of Nodes with their provider ids: what a change of makes an update necessary.
using NodeSet = std::map<std::string, std::string>;
[[nodiscard]] NodeSet node_set(std::span<const Node> nodes);

/// The names for people: sorted, of more than 20 the first ones. Rule: A10.
[[nodiscard]] std::string limited_names(std::span<const Node> nodes);

}  // namespace davit::cloud
