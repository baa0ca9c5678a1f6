/// The objects of the simulated device driver, and what it is called. Pure.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <string>
#include <vector>

#include "lib/kube/json.hpp"
#include "nodes/stamp.hpp"

namespace davit::sandbox {

inline constexpr char kDeviceDriver[] = "devices.sandbox.davit.dev";
/// The class of all devices of the driver.
inline constexpr char kDefaultDeviceClass[] = "sandbox";
/// The taint of devices that the driver has withdrawn.
inline constexpr char kWithdrawnTaint[] = "devices.sandbox.davit.dev/withdrawn";
/// The limit of a slice whose devices have taints.
inline constexpr std::size_t kDevicesPerSlice = 64;
/// Far more than any machine has, and few enough that a typing error does no harm.
inline constexpr std::size_t kDevicesPerNode = 1024;

/// Docs: docs/sandbox-devices.md.
namespace annotation {
/// On a Node: the number of its devices, or a list of them as in a ResourceSlice.
inline constexpr char kDevices[] = "sandbox.davit.dev/devices";
/// On a Node: the list of counter sets that its devices share, as in a ResourceSlice.
inline constexpr char kSharedCounters[] = "sandbox.davit.dev/shared-counters";
/// On a Node: the names of withdrawn devices, with commas, or "*".
inline constexpr char kWithdrawnDevices[] = "sandbox.davit.dev/withdrawn-devices";
}  // namespace annotation

[[nodiscard]] Json device_class();

/// The contents of a node's pool.
struct NodeDevices {
  Json::Items devices;
  Json::Items counters;  ///< The counter sets that the devices share.
};
/// The devices that a simulated node has by its annotations. `count`: without annotation. An error:
/// an annotation is neither a number nor a list of objects. `now`: of new taints.
[[nodiscard]] Result<NodeDevices> devices_of_node(const Json& node, int count, WallTime now);

/// The slices of a node's pool, that with the counters last. Those that exist keep their generation
/// and the times of their taints, unless their number changes. `existing`: all slices of the pool.
[[nodiscard]] std::vector<Json> device_slices(const Json& node, const NodeDevices& pool,
                                              const std::vector<const Json*>& existing);

/// The report of the driver in a claim's status for the devices that a node has prepared, as the
/// body of a merge patch; null if the claim has none of the driver, or the report.
[[nodiscard]] Json prepared_devices(const Json& claim, WallTime now);

}  // namespace davit::sandbox
