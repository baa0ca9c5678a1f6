/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controller under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/pod.hpp>

#include "plugins/shared/history/controller_revision.hpp"
#include "plugins/statefulset/stateful_set.hpp"
#include "plugins/statefulset/stateful_set_controller.hpp"

namespace davit::statefulset {

/// Pods and claims are many, so their projections name single fields.
constexpr void declare(Note& note) {
  note.plugin("statefulset", "0.1.0")
      .controller({.name = "statefulset-controller",
                   .factory = &StatefulSetController::open,
                   .aliases = {"statefulset"},
                   .workers = 5})
      .rule<StatefulSet>({"get", "list", "watch"})
      .rule<StatefulSet>({"patch"}, {.subresource = "status"})
      .rule<StatefulSet>({"update"}, {.subresource = "finalizers"})
      .rule<history::ControllerRevision>({"get", "list", "watch", "create", "patch", "delete"})
      .rule<Pod>({"list", "watch", "create", "patch", "delete"})
      .rule<Pod>({"update"}, {.subresource = "finalizers"})
      .rule<PersistentVolumeClaim>({"list", "watch", "create", "patch"})
      .events()
      .watch<StatefulSet>({"metadata.annotations", "metadata.generation",
                           "metadata.deletionTimestamp", "spec", "status"})
      .watch<history::ControllerRevision>({"metadata.labels", "metadata.creationTimestamp",
                                           "metadata.deletionTimestamp", "metadata.ownerReferences",
                                           "data", "revision"})
      .watch<Pod>({"metadata.labels", "metadata.deletionTimestamp", "metadata.ownerReferences",
                   "spec.volumes[].name", "spec.volumes[].persistentVolumeClaim.claimName",
                   "status.phase", "status.conditions[].type", "status.conditions[].status",
                   "status.conditions[].lastTransitionTime"})
      .watch<PersistentVolumeClaim>({"metadata.deletionTimestamp", "metadata.ownerReferences"});
}

}  // namespace davit::statefulset
