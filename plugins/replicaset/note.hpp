/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/replica_set.hpp>

#include "plugins/shared/replicas/declaration.hpp"
#include "plugins/shared/replicas/replica_controller.hpp"

namespace davit::replicaset {

constexpr void declare(Note& note) {
  note.plugin("replicaset", "0.1.0")
      .controller({.name = "replicaset-controller",
                   .factory = &replicas::ReplicaSetController::open,
                   .aliases = {"replicaset"},
                   .workers = 5,
                   .client_name = "replicaset-controller"})
      .rule<ReplicaSet>({"get", "list", "watch"})
      .rule<ReplicaSet>({"patch"}, {.subresource = "status"})
      .rule<ReplicaSet>({"update"}, {.subresource = "finalizers"})
      .rule<Pod>({"list", "watch", "create", "delete", "patch"})
      .events()
      .watch<ReplicaSet>({"metadata.generation", "metadata.deletionTimestamp",
                          "metadata.ownerReferences", "spec", "status"});
  replicas::watch_pods(note);
}

}  // namespace davit::replicaset
