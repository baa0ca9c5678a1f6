/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controller under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/pod.hpp>

#include "plugins/devicetaint/device_taints.hpp"
#include "plugins/devicetaint/views.hpp"

namespace davit::devicetaint {

/// Attributes and capacities are the bulk of a slice, and nothing here needs them.
constexpr void declare(Note& note) {
  note.plugin("devicetaint", "0.1.0")
      .controller({.name = "device-taint-eviction-controller",
                   .factory = &DeviceTaints::open,
                   .workers = 8})
      .rule<Pod>({"delete"})
      .rule<Pod>({"patch"}, {.subresource = "status"})
      .rule<Rule>({"patch"}, {.subresource = "status"})
      .events()
      .watch<Pod>({"metadata.deletionTimestamp", "spec.nodeName", "spec.resourceClaims",
                   "spec.schedulingGroup.podGroupName", "status.phase",
                   "status.resourceClaimStatuses"})
      .watch<Claim>({"metadata.ownerReferences", "status.allocation.devices.results[].driver",
                     "status.allocation.devices.results[].pool",
                     "status.allocation.devices.results[].device",
                     "status.allocation.devices.results[].tolerations", "status.reservedFor"})
      .watch<claims::Slice>({"spec.driver", "spec.pool.name", "spec.pool.generation",
                             "spec.devices[].name", "spec.devices[].taints"})
      .watch<Rule>({"metadata.generation", "spec", "status"});
}

}  // namespace davit::devicetaint
