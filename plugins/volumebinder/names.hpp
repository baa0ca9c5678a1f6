/// The annotations, finalizers, phases and binding modes of binding and provisioning. Rule:
/// docs/spec/volumes.md, A3.
#pragma once

#include <string_view>

namespace davit::volumebinder {

inline constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
inline constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
inline constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";
inline constexpr std::string_view kMigratedTo = "pv.kubernetes.io/migrated-to";
inline constexpr std::string_view kProvisioner = "volume.kubernetes.io/storage-provisioner";
inline constexpr std::string_view kBetaProvisioner =
    "volume.beta.kubernetes.io/storage-provisioner";
inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
inline constexpr std::string_view kPreResizeCapacity =
    "volume.alpha.kubernetes.io/pre-resize-capacity";

inline constexpr std::string_view kInTreeFinalizer = "kubernetes.io/pv-controller";
inline constexpr std::string_view kExternalFinalizer =
    "external-provisioner.volume.kubernetes.io/finalizer";

inline constexpr std::string_view kAvailable = "Available";
inline constexpr std::string_view kBound = "Bound";
inline constexpr std::string_view kReleased = "Released";
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kPending = "Pending";
inline constexpr std::string_view kLost = "Lost";

}  // namespace davit::volumebinder
