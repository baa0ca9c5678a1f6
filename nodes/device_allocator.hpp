/// Chooses the devices of claims on a node (kubernetes: staging/src/k8s.io/
/// dynamic-resource-allocation/structured). Pure.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/random.hpp"
#include "lib/cel/device_selector.hpp"
#include "lib/kube/json.hpp"
#include "nodes/device_view.hpp"
#include "nodes/schedule.hpp"

namespace davit::sandbox {

/// The result of an attempt on one node.
struct DeviceChoice {
  /// For each claim its status.allocation; nothing: the node cannot have them all.
  std::optional<std::vector<Json>> allocations;
  std::string refusal;  ///< Why not, in kube-scheduler's words.
};

struct DeviceQuestion {
  const DeviceView& view;
  cel::DeviceSelectors& selectors;
  /// Whether a claim already has the device alone, by device_id().
  std::function<bool(const std::string& id)> is_taken;
  const DeviceShares& shares;  ///< Those of all claims that have devices, or are about to.
  Random& random;              ///< Makes the IDs of new shares.
  int steps = 0;               ///< Those of the searches so far, beyond what each node has free.
};

/// The first combination of devices, in the order of pools, slices and devices, for all `claims`,
/// which have no allocation yet. An error is one of a claim or class: no node will do. kCancelled:
/// the search takes too long, on this node or on all that have been asked with this question.
[[nodiscard]] Result<DeviceChoice> allocate_devices(DeviceQuestion& question,
                                                    const std::vector<const Json*>& claims,
                                                    const NodeCapacity& node);

/// The higher, the earlier the alternatives are that prioritized lists got.
[[nodiscard]] std::int64_t preference_of(const std::vector<const Json*>& claims,
                                         const std::vector<Json>& allocations);

}  // namespace davit::sandbox
