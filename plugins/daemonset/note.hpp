/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>

#include "plugins/daemonset/daemon_set_controller.hpp"

namespace davit::daemonset {

/// Pods and nodes are many, so their projections name single fields; README.md says who reads
/// which. The client has the controller's name, because upstream's Events have it.
constexpr void declare(Note& note) {
  note.plugin("daemonset", "0.1.0")
      .controller({.name = "daemonset-controller",
                   .factory = &DaemonSetController::open,
                   .aliases = {"daemonset"},
                   .workers = 2})
      .rule<DaemonSet>({"get", "list", "watch"})
      .rule<DaemonSet>({"patch"}, {.subresource = "status"})
      .rule<DaemonSet>({"update"}, {.subresource = "finalizers"})
      .rule<ControllerRevision>({"get", "list", "watch", "create", "patch", "delete"})
      .rule<Pod>({"list", "watch", "create", "delete", "patch"})
      .events()
      .watch<DaemonSet>({"metadata.generation", "metadata.deletionTimestamp",
                         "metadata.annotations", "spec", "status"})
      .watch<ControllerRevision>({"metadata", "data", "revision"})
      .watch<Node>({"metadata.labels", "spec.taints"})
      .watch<Pod>({"metadata.labels", "metadata.creationTimestamp", "metadata.deletionTimestamp",
                   "metadata.ownerReferences", "spec.nodeName",
                   "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
                   "nodeSelectorTerms[].matchFields",
                   "status.phase", "status.conditions[].type", "status.conditions[].status",
                   "status.conditions[].lastTransitionTime"});
}

}  // namespace davit::daemonset
