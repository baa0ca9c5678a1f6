/// The objects that a kubelet writes about its node. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "lib/kube/json.hpp"
#include "nodes/stamp.hpp"

namespace davit::sandbox {

namespace annotation {
/// On a Node: that it is simulated, and its state, "running", "not-ready", "stopped" or "deleted".
/// Nodes without it are not simulated.
inline constexpr char kNode[] = "sandbox.davit.dev/node";
/// On a Node of the simulated cloud: what the cloud knows of its machine.
inline constexpr char kZone[] = "sandbox.davit.dev/zone";
inline constexpr char kRegion[] = "sandbox.davit.dev/region";
inline constexpr char kInstanceType[] = "sandbox.davit.dev/instance-type";
/// On a Node: the pressures that it reports, of "memory", "disk" and "pid": "memory,disk".
inline constexpr char kPressure[] = "sandbox.davit.dev/pressure";
}  // namespace annotation

enum class NodePower {
  kRunning,
  kNotReady,  ///< Alive and says that it is not ready.
  kStopped,   ///< Neither renews nor reports nor runs pods, as a machine without power.
  kDeleted,   ///< The same, and the simulated cloud no longer has the machine.
};
/// Whether the machine does nothing at all.
[[nodiscard]] constexpr bool is_off(NodePower power) { return power >= NodePower::kStopped; }

/// Whether kubelets leave provider id, zone and addresses of their nodes to a provider of a cloud,
/// as they do with --cloud-provider=external.
enum class CloudSwitch : std::uint8_t { kOn, kOff };

/// Nothing when the Node is not simulated.
[[nodiscard]] std::optional<NodePower> power_of(const Json& node);
/// "running": the annotation's value.
[[nodiscard]] std::string_view name_of(NodePower power);

/// A node that the simulation brings up by itself.
struct NodePlan {
  std::string name;
  std::string zone;      ///< Empty: no zone labels.
  std::string region;    ///< Empty: no region label.
  std::string pod_cidr;  ///< Empty: none; a controller assigns one.
};

/// The capacity of each node.
struct NodeSize {
  std::string cpu = "8";
  std::string memory = "32Gi";
  std::string ephemeral_storage = "100Gi";
  int pods = 110;
};

/// For POST /api/v1/nodes. With a cloud, the node has the taint of uninitialized Nodes, and its
/// zone, region and instance type are annotations for the provider.
[[nodiscard]] Json new_node(const NodePlan& plan, const NodeSize& size, CloudSwitch cloud);

struct NodeReport {
  std::string internal_ip;
  NodePower power = NodePower::kRunning;
  NodeSize size;
  bool has_network = true;                ///< Otherwise it is not ready.
  CloudSwitch cloud = CloudSwitch::kOff;  ///< If on, addresses that the Node has stay.
  /// The volumes that the node has mounted, or is about to; nothing: the Node's list stays.
  std::optional<std::set<std::string>> volumes_in_use;
};
/// For a strategic merge patch of nodes/NAME/status.
[[nodiscard]] Json node_status_patch(const Json& node, const NodeReport& report,
                                     const Moment& moment);
/// Whether the Node's conditions say what `report` would make them say, times aside.
[[nodiscard]] bool conditions_hold(const Json& node, const NodeReport& report);
/// Whether the Node lists the volumes of the report.
[[nodiscard]] bool volumes_hold(const Json& node, const NodeReport& report);
/// status.volumesInUse
[[nodiscard]] std::set<std::string> volumes_in_use(const Json& node);
/// The names in status.volumesAttached.
[[nodiscard]] std::set<std::string> volumes_attached(const Json& node);

/// A Lease of kube-node-lease, owned by the Node.
[[nodiscard]] Json new_lease(const Json& node, const Moment& moment);
/// `lease` with a new renewTime.
[[nodiscard]] Json renewed(Json lease, const Moment& moment);

/// A merge patch that removes the taint that admission adds to new nodes, unless the Node has
/// changed; nothing if there is none.
[[nodiscard]] std::optional<Json> untaint_patch(const Json& node);

}  // namespace davit::sandbox
