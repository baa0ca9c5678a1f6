/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/deployment.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/replica_set.hpp>
#include <davit/options.hpp>

#include "plugins/disruption/budget.hpp"
#include "plugins/disruption/disruption_controller.hpp"
#include "plugins/disruption/workloads.hpp"

namespace davit::disruption {

/// Budgets are read whole, because the host refuses a PUT of what is read in part. Pods are many,
/// so their projection names single fields.
constexpr void declare(Note& note) {
  note.plugin("disruption", "0.1.0")
      .needs("davit.discovery/1")
      .controller({.name = "disruption-controller",
                   .factory = &make_without_options<DisruptionController>,
                   .aliases = {"disruption"},
                   .event_component = "controllermanager"})
      .events()
      .rule<PodDisruptionBudget>({"update"}, {.subresource = "status"})
      .rule<Pod>({"patch"}, {.subresource = "status"})
      .rule(kEveryResource, {"get"}, {.subresource = "scale"})
      .watch<PodDisruptionBudget>()
      .watch<Pod>({"metadata.labels", "metadata.ownerReferences", "metadata.deletionTimestamp",
                   "metadata.generation", "status.phase", "status.conditions[].type",
                   "status.conditions[].status", "status.conditions[].reason",
                   "status.conditions[].lastTransitionTime"})
      .watch<ReplicationController>({"spec.replicas"})
      .watch<ReplicaSet>({"metadata.ownerReferences", "spec.replicas"})
      .watch<Deployment>({"spec.replicas"})
      .watch<StatefulSet>({"spec.replicas"});
}

}  // namespace davit::disruption
