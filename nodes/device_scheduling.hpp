/// The scheduler's view of a pod's device claims (kubernetes: pkg/scheduler/framework/plugins/
/// dynamicresources). Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/kube/json.hpp"
#include "nodes/api_calls.hpp"
#include "nodes/device_allocator.hpp"
#include "nodes/device_holds.hpp"
#include "nodes/device_view.hpp"
#include "nodes/schedule.hpp"
#include "nodes/stamp.hpp"

namespace davit::sandbox {

/// An entry of a pod's spec.resourceClaims.
struct PodDevices {
  std::string claim;        ///< "namespace/name"; empty: none is known.
  bool generated = false;   ///< From a template: the claim must have the pod as controller.
  bool not_needed = false;  ///< The controller found that no claim is needed.
  std::string problem;      ///< Why the claim is not known.
};
/// Spec: docs/spec/dra.md, A3.
[[nodiscard]] std::vector<PodDevices> pod_devices(const Json& pod);
/// Why a generated claim is not the pod's; empty: it is, or need not be.
[[nodiscard]] std::string owner_problem(const Json& pod, const PodDevices& entry,
                                        const Json& claim);
[[nodiscard]] bool is_reserved_for(const Json& claim, const Json& pod);

/// The device claims of a pod that waits for a node. Borrows from the view.
struct DeviceClaims {
  bool is_ready = true;              ///< Otherwise claims are missing, and nothing is reported.
  std::string refusal;               ///< Not empty: no node will do.
  std::vector<const Json*> claims;   ///< All of them.
  std::vector<const Json*> to_find;  ///< Those without devices.
};
/// `pending`: the UIDs of claims whose allocation is being written for other pods.
[[nodiscard]] DeviceClaims scheduling_devices(const DeviceView& view, const Json& pod,
                                              const std::set<std::string>& pending);

/// One pod's claims against all nodes.
class DeviceFit {
 public:
  using Allocations = DeviceHolds::Allocations;

  DeviceFit(DeviceQuestion question, DeviceClaims claims, WallTime now)
      : question_(std::move(question)), claims_(std::move(claims)), now_(now) {}

  /// Why the node cannot have the pod's devices, in kube-scheduler's words; empty: it can.
  [[nodiscard]] std::string refusal(const NodeCapacity& node);
  /// The higher the better, for a node that was not refused.
  [[nodiscard]] std::int64_t score(const NodeCapacity& node) const;
  /// The devices of the claims without devices on a node that was not refused.
  [[nodiscard]] Allocations allocations(const NodeCapacity& node) const;
  /// Not empty: something is wrong with a claim or class, and the pod must not be scheduled.
  [[nodiscard]] const std::string& error() const { return error_; }
  /// The claims that some node refused because their devices are elsewhere, or failed before a pod
  /// was bound.
  [[nodiscard]] const std::set<const Json*>& elsewhere() const { return elsewhere_; }

 private:
  DeviceQuestion question_;
  DeviceClaims claims_;
  const WallTime now_;
  std::map<std::string, std::vector<Json>> found_;  // Keys are nodes.
  std::set<const Json*> elsewhere_;
  std::string error_;
};

/// Whether the devices of a claim have reported all that they must before a pod is bound to their
/// node. One that takes longer than ten minutes has failed (kubernetes: isClaimReadyForBinding()).
enum class DeviceBinding { kReady, kPending, kFailed };
[[nodiscard]] DeviceBinding binding_of(const Json& claim, WallTime now);

/// The work left for the claims before the pod is bound.
struct ClaimStep {
  enum class Kind { kDone, kWrite, kWait, kLost };
  Kind kind = Kind::kDone;
  ApiCall call;       ///< kWrite
  std::string claim;  ///< kWrite: "namespace/name" of the claim.
};
/// One write at a time: the finalizer of a claim, then its allocation with the reservation.
/// `allocations`: those of DeviceFit. kWait: a device must report something first. kLost: a claim
/// went to others, or is gone, or such a device failed.
[[nodiscard]] ClaimStep next_claim_step(const DeviceView& view, const Json& pod,
                                        const DeviceFit::Allocations& allocations, WallTime now);
/// Takes the pod off the claim.
[[nodiscard]] ApiCall unreserve_call(const Json& claim, const Json& pod);
/// Takes the devices off a claim without other consumers; nothing if it has any.
[[nodiscard]] std::optional<ApiCall> deallocate_call(const Json& claim, const Json& pod);

}  // namespace davit::sandbox
