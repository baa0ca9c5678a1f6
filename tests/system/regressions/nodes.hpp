/// Nodes that die, and what becomes of their pods.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "tests/system/world.hpp"

namespace davit::test {

/// Deployments and nodes are looked after; leases are renewed every ten seconds.
[[nodiscard]] WorldOptions with_nodes();

/// Three pods "web" that tolerate a dead node for `tolerated`.
void deploy_impatient(World& world, std::chrono::seconds tolerated = std::chrono::seconds(5));
/// "running", "stopped" or "not-ready".
void switch_node(World& world, const std::string& node, const std::string& state);
/// A taint that makes pods leave, written by somebody else than davit.
void taint(World& world, const std::string& node);

[[nodiscard]] bool is_tainted(const World& world, const std::string& node);
/// "True", "False" or "Unknown"; "" when the node does not say.
[[nodiscard]] std::string readiness(const Json& object);
/// Until the node is taken for dead.
void await_unknown(World& world, const std::string& node);
/// The number of "web" pods that have begun to terminate since.
[[nodiscard]] std::size_t pods_deleted_since(const World& world, sandbox::Revision revision);

}  // namespace davit::test
