/// The devices that a node can have, by pools (kubernetes: staging/src/k8s.io/
/// dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go). Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/kube/json.hpp"
#include "nodes/device_counters.hpp"
#include "nodes/device_view.hpp"
#include "nodes/schedule.hpp"

namespace davit::sandbox {

/// A device that the node can have.
struct DeviceOffer {
  const Json* slice = nullptr;
  const Json* device = nullptr;
  std::string id;  ///< device_id()
};

enum class PoolState {
  kUsable,
  kIncomplete,  ///< Some of its slices have not been published yet.
  kInvalid,     ///< Two of its devices or counter sets have one name, or a counter is missing.
};

struct DevicePool {
  std::string id;  ///< "driver/pool"
  PoolState state = PoolState::kUsable;
  std::vector<DeviceOffer> offers;  ///< In the order in which they are tried.
  PoolSlices slices;                ///< Those of all nodes if devices share counters.
};

/// The pools with devices for the node, by driver and then by name, those with binding conditions
/// last; within a pool by the names of the slices. Only the newest generation of a pool counts; one
/// with a newer generation elsewhere is left out.
[[nodiscard]] std::vector<DevicePool> pools_of(const DeviceView& view, const NodeCapacity& node);

/// Whether a NodeSelector has the node.
[[nodiscard]] bool selects_node(const Json& node_selector, const NodeCapacity& node);

}  // namespace davit::sandbox
