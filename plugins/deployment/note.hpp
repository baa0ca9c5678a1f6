/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/deployment.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/replica_set.hpp>

#include "plugins/deployment/deployment_controller.hpp"

namespace davit::deployment {

constexpr void declare(Note& note) {
  note.plugin("deployment", "0.1.0")
      .controller({.name = "deployment-controller",
                   .factory = &DeploymentController::open,
                   .aliases = {"deployment"},
                   .workers = 5})
      .rule<Deployment>({"patch"})
      .rule<Deployment>({"patch"}, {.subresource = "status"})
      .rule<Deployment>({"update"}, {.subresource = "finalizers"})
      .rule<ReplicaSet>({"create", "patch", "delete"})
      .watch<Deployment>()
      .watch<ReplicaSet>()
      .watch<Pod>({"metadata.ownerReferences[].controller", "metadata.ownerReferences[].kind",
                   "metadata.ownerReferences[].name", "metadata.ownerReferences[].uid",
                   "status.phase"});
}

}  // namespace davit::deployment
