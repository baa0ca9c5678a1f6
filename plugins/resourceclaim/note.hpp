/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controller under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/pod.hpp>

#include "plugins/resourceclaim/pod_group_protection.hpp"
#include "plugins/resourceclaim/pool_status_requests.hpp"
#include "plugins/resourceclaim/resource_claims.hpp"
#include "plugins/resourceclaim/views.hpp"

namespace davit::resourceclaim {

/// The subresource that a server asks about when an allocation or a reservation changes. No request
/// names it. Rule: docs/spec/dra.md, A2.4.
inline constexpr std::string_view kBinding = "binding";

/// The time of an allocation stands for all of it: only whether there is one counts.
constexpr void declare(Note& note) {
  note.plugin("resourceclaim", "0.1.0")
      .controller({.name = "resourceclaim-controller",
                   .factory = &ResourceClaims::open,
                   .aliases = {"resource-claim-controller"},
                   .workers = 50,
                   .client_name = "resource-claim-controller",
                   .event_component = "resource_claim"})
      .rule<Pod>({"patch"}, {.subresource = "status"})
      .rule<Claim>({"create", "delete", "patch"})
      .rule<Claim>({"patch"}, {.subresource = "status"})
      .rule<Claim>({"patch"}, {.subresource = kBinding})
      .rule<PodGroup>({"patch"}, {.subresource = "status"})
      .events()
      .watch<Pod>({"metadata.deletionTimestamp", "spec.nodeName", "spec.resourceClaims",
                   "spec.schedulingGroup.podGroupName", "status.phase",
                   "status.resourceClaimStatuses",
                   "status.extendedResourceClaimStatus.resourceClaimName"})
      .watch<Claim>({"metadata.deletionTimestamp", "metadata.finalizers", "metadata.annotations",
                     "metadata.ownerReferences", "spec.devices.requests[].exactly.adminAccess",
                     "status.allocation.allocationTimestamp", "status.reservedFor"})
      .watch<Template>({"spec"})
      .watch<PodGroup>(
          {"metadata.deletionTimestamp", "spec.resourceClaims", "status.resourceClaimStatuses"});
  note.controller({.name = "podgroup-protection-controller", .factory = &PodGroupProtection::open})
      .rule<PodGroup>({"patch"})
      .watch<PodGroup>({"metadata.deletionTimestamp", "metadata.finalizers"})
      .watch<Pod>({"spec.schedulingGroup.podGroupName", "status.phase"});
  note.controller(
          {.name = "resourcepoolstatusrequest-controller", .factory = &PoolStatusRequests::open})
      .rule<PoolRequest>({"delete"})
      .rule<PoolRequest>({"patch"}, {.subresource = "status"})
      .watch<PoolRequest>({"metadata.creationTimestamp", "spec", "status"})
      .watch<Slice>({"spec.driver", "spec.nodeName", "spec.pool", "spec.devices[].name"})
      .watch<Claim>({"status.allocation.devices.results[].driver",
                     "status.allocation.devices.results[].pool"});
}

}  // namespace davit::resourceclaim
