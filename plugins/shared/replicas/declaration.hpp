/// The declarations that the plugins of this library have in common.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/pod.hpp>

namespace davit::replicas {

/// Watches pods for the present controller. They are many, so their projection names single fields;
/// each README.md says who reads which.
constexpr Note& watch_pods(Note& note) {
  return note.watch<Pod>(
      {"metadata.labels", "metadata.creationTimestamp", "metadata.deletionTimestamp",
       "metadata.annotations['controller.kubernetes.io/pod-deletion-cost']",
       "metadata.ownerReferences", "spec.nodeName", "spec.initContainers[].name",
       "spec.initContainers[].restartPolicy", "status.phase", "status.conditions[].type",
       "status.conditions[].status", "status.conditions[].lastTransitionTime",
       "status.containerStatuses[].restartCount", "status.initContainerStatuses[].name",
       "status.initContainerStatuses[].restartCount"});
}

}  // namespace davit::replicas
