/// The addresses of a Node, as its machine and its kubelet want them. Pure.
#pragma once

#include <davit/cloud_data.hpp>
#include <davit/kube/node.hpp>
#include <davit/result.hpp>
#include <span>
#include <string>
#include <vector>

namespace davit::cloud {

/// The addresses with those in front that the kubelet was given, and without others of their types.
/// kInvalid: the kubelet's text is not a list of addresses, or the machine lacks one of them. Rule:
/// docs/spec/cloud.md, N4.3.
[[nodiscard]] Result<std::vector<CloudAddress>> prefer_node_ip(
    const Node& node, std::vector<CloudAddress> of_machine);

/// The addresses that the Node should have; empty: the machine has none, and nothing is written.
/// Rule: N4.1 to 3, each address once (D15).
[[nodiscard]] Result<std::vector<CloudAddress>> wanted_addresses(
    const Node& node, const std::vector<CloudAddress>& of_machine);

/// A strategic patch of the Node's status, which holds for this Node and for no other one of its
/// name. Rule: N4.5.
[[nodiscard]] std::string addresses_body(const Node& node, std::span<const CloudAddress> wanted);

}  // namespace davit::cloud
