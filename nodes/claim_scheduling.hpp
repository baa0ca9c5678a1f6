/// The scheduler's view of a pod's claims (kubernetes: pkg/scheduler/framework/plugins/
/// volumebinding, nodevolumelimits). Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/kube/json.hpp"
#include "nodes/api_calls.hpp"
#include "nodes/schedule.hpp"
#include "nodes/storage_view.hpp"

namespace davit::sandbox {

/// The claims of a pod that waits for a node. Borrows from the view.
struct SchedulingClaims {
  std::string refusal;               ///< Not empty: no node will do.
  std::vector<std::string> names;    ///< All of them.
  std::vector<const Json*> volumes;  ///< Those that the bound claims have.
  std::vector<const Json*> delayed;  ///< Claims that get their volume when a node is chosen.
  std::vector<std::string> alone;    ///< Claims that one pod at a time may use.
};
[[nodiscard]] SchedulingClaims scheduling_claims(const StorageView& view, const Json& pod);

/// Why the node cannot have the pod's volumes, in kube-scheduler's words; empty: it can.
[[nodiscard]] std::string volume_refusal(const StorageView& view, const SchedulingClaims& claims,
                                         const NodeCapacity& node);

/// The writes that give the delayed claims their volumes on the node: a free volume is reserved, or
/// the node is handed to the provisioner.
[[nodiscard]] std::vector<ApiCall> volume_writes(const StorageView& view,
                                                 const SchedulingClaims& claims,
                                                 const NodeCapacity& node);

}  // namespace davit::sandbox
