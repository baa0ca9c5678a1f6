/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/pod.hpp>

#include "plugins/shared/replicas/declaration.hpp"
#include "plugins/shared/replicas/replica_controller.hpp"

namespace davit::replicationcontroller {

using replicas::ReplicationController;

constexpr void declare(Note& note) {
  note.plugin("replicationcontroller", "0.1.0")
      .controller({.name = "replicationcontroller-controller",
                   .factory = &replicas::ReplicationControllerController::open,
                   .aliases = {"replicationcontroller"},
                   .workers = 5,
                   .client_name = "replication-controller"})
      .rule<ReplicationController>({"get", "list", "watch"})
      .rule<ReplicationController>({"patch"}, {.subresource = "status"})
      .rule<ReplicationController>({"update"}, {.subresource = "finalizers"})
      .rule<Pod>({"list", "watch", "create", "delete", "patch"})
      .events()
      .watch<ReplicationController>(
          {"metadata.generation", "metadata.deletionTimestamp", "spec", "status"});
  replicas::watch_pods(note);
}

}  // namespace davit::replicationcontroller
