/// The objects of the simulated CSI driver, and what it is called. Pure.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "lib/kube/json.hpp"
#include "nodes/stamp.hpp"

namespace davit::sandbox {

inline constexpr char kStorageDriver[] = "sandbox.davit.dev";
/// The class that claims get by default. Its volumes are made at once and reach every node.
inline constexpr char kDefaultStorageClass[] = "sandbox";
/// Its volumes are made when a pod that uses them is scheduled, and stay in the zone of its node.
inline constexpr char kZonalStorageClass[] = "sandbox-zonal";
/// The volumes that a node can have unless its annotation says otherwise.
inline constexpr int kVolumesPerNode = 32;

inline constexpr char kProvisionerFinalizer[] =
    "external-provisioner.volume.kubernetes.io/finalizer";
inline constexpr char kAttacherFinalizer[] = "external-attacher/sandbox-davit-dev";
inline constexpr char kSelectedNode[] = "volume.kubernetes.io/selected-node";
inline constexpr char kProvisionedBy[] = "pv.kubernetes.io/provisioned-by";
inline constexpr char kHostLabel[] = "kubernetes.io/hostname";
inline constexpr char kManagedAttach[] = "volumes.kubernetes.io/controller-managed-attach-detach";

/// Docs: docs/sandbox-storage.md. Those of a volume may also be set on its claim.
namespace annotation {
inline constexpr char kProvision[] = "sandbox.davit.dev/provision";  ///< "fail", "never"
inline constexpr char kProvisionSeconds[] = "sandbox.davit.dev/provision-seconds";
inline constexpr char kAttach[] = "sandbox.davit.dev/attach";  ///< "fail", "never"
inline constexpr char kAttachSeconds[] = "sandbox.davit.dev/attach-seconds";
inline constexpr char kDetach[] = "sandbox.davit.dev/detach";  ///< "fail", "never"
inline constexpr char kDetachSeconds[] = "sandbox.davit.dev/detach-seconds";
inline constexpr char kVolumesMax[] = "sandbox.davit.dev/volumes-max";  ///< On a Node.
inline constexpr char kCapacity[] = "sandbox.davit.dev/capacity";       ///< On a class.
}  // namespace annotation

[[nodiscard]] Json csi_driver();
/// One of the two classes of the driver.
[[nodiscard]] Json storage_class(std::string_view name);
/// The node's label kubernetes.io/hostname, or what a kubelet would set it to: the node's name.
/// Empty if the name is too long for a label.
[[nodiscard]] std::string host_name(const Json& node);
/// A part of the cluster by a label of its nodes: a zone, or without zones a node.
struct StorageSegment {
  std::string key;
  std::string value;
  friend auto operator<=>(const StorageSegment&, const StorageSegment&) = default;
};
/// Nothing if no label distinguishes the node.
[[nodiscard]] std::optional<StorageSegment> segment_of(const Json& node);
/// The node's CSINode with the driver on it; `old`: the present one, or null.
[[nodiscard]] Json csi_node(const Json& node, const Json* old);
/// The drivers of a CSINode as they should be.
[[nodiscard]] Json csi_node_drivers(const Json& node, const Json* old);

/// "pvc-UID": the volume that external provisioners make for a claim.
[[nodiscard]] std::string volume_name(const Json& claim);
/// A volume for the claim. `node`: the selected one, whose zone it is to be in, or without zones
/// the node itself; null: none.
[[nodiscard]] Json new_volume(const Json& claim, const Json& storage_class, const Json* node);

/// The error of operations that an annotation makes fail.
inline constexpr char kAnnotatedFailure[] =
    "rpc error: code = ResourceExhausted desc = an annotation requests it";

/// An Event as a sidecar of the driver or a kubelet posts it.
struct StorageEvent {
  const char* component;  ///< "external-resizer"
  const char* type;       ///< "Normal"
  const char* reason;
  std::string message;
};
/// Its body. `kind`: of `object`, "Pod".
[[nodiscard]] Json event_body(std::string_view kind, const Json& object, const StorageEvent& event,
                              WallTime now);
/// "/api/v1/namespaces/default/events": where Events about the object go.
[[nodiscard]] std::string event_target(const Json& object);

}  // namespace davit::sandbox
