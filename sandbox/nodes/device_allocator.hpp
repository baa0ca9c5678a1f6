/// Chooses the devices of claims on a node (kubernetes: staging/src/k8s.io/
/// dynamic-resource-allocation/structured). Pure.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/kube/json.hpp"
#include "sandbox/nodes/device_selector.hpp"
#include "sandbox/nodes/device_view.hpp"
#include "sandbox/nodes/schedule.hpp"

namespace davit::sandbox {

/// The result of an attempt on one node.
struct DeviceChoice {
  /// For each claim its status.allocation; nothing: the node cannot have them all.
  std::optional<std::vector<Json>> allocations;
  std::string refusal;  ///< Why not, in kube-scheduler's words.
};

struct DeviceQuestion {
  const DeviceView& view;
  DeviceSelectors& selectors;
  /// Whether somebody already has the device, by device_id().
  std::function<bool(const std::string& id)> is_taken;
};

/// The first combination of devices, in the order of pools, slices and devices, that serves all
/// `claims`, which have no allocation yet. An error is one of a claim or class: no node will do.
[[nodiscard]] Result<DeviceChoice> allocate_devices(const DeviceQuestion& question,
                                                    const std::vector<const Json*>& claims,
                                                    const NodeCapacity& node);

/// The higher, the earlier the alternatives are that prioritized lists got.
[[nodiscard]] std::int64_t preference_of(const std::vector<const Json*>& claims,
                                         const std::vector<Json>& allocations);

}  // namespace davit::sandbox
