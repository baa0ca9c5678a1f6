/// Worlds of some of davit's controllers, and what lives in them.
#pragma once

#include <string>
#include <vector>

#include "tests/system/world.hpp"

namespace davit::test {

/// A host with these controllers and no other.
[[nodiscard]] WorldOptions only(std::vector<std::string> controllers);
/// A host without the ReplicaSet controller.
[[nodiscard]] WorldOptions without_replica_sets();

/// Pods of `app` that are not being deleted.
[[nodiscard]] Record::Objects live_pods(const World& world, const std::string& app);

}  // namespace davit::test
