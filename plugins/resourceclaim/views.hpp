/// Views of templates, the names that claims carry, and what ends a pod's need of them.
#pragma once

#include <davit/kube/metadata.hpp>
#include <davit/kube/pod.hpp>
#include <string_view>

#include "plugins/shared/claims/pod_claims.hpp"
#include "plugins/shared/claims/views.hpp"

namespace davit::resourceclaim {

using claims::Claim;
using claims::ClaimName;
using claims::Consumer;
using claims::group_of;
using claims::Groups;
using claims::kDevices;
using claims::kScheduling;
using claims::PodGroup;
using claims::Slice;

/// The scheduler sets it before it allocates a claim; the controller removes it.
inline constexpr std::string_view kFinalizer = "resource.kubernetes.io/delete-protection";
/// The name of the pod claim that a generated claim was made for.
inline constexpr std::string_view kPodClaimName = "resource.kubernetes.io/pod-claim-name";
/// "true" on a claim that the scheduler made for extended resources.
inline constexpr std::string_view kExtended = "resource.kubernetes.io/extended-resource-claim";

/// ResourceClaimTemplate.
class Template : public ObjectView {
 public:
  static constexpr Resource kResource{kDevices, "v1", "resourceclaimtemplates",
                                      "ResourceClaimTemplate"};
  using ObjectView::ObjectView;
};

/// Whether the pod needs its claims no more: it has ended, or was deleted before it got a node.
/// No later version of the pod can need them again. Rule: docs/spec/dra.md, A4.
[[nodiscard]] inline bool is_done(const Pod& pod) {
  return pod.is_finished() || (pod.is_being_deleted() && pod.node_name().empty());
}

}  // namespace davit::resourceclaim
