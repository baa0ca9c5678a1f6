/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/lease.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <davit/options.hpp>

#include "plugins/nodelifecycle/node_lifecycle_controller.hpp"
#include "plugins/nodelifecycle/taint_eviction_controller.hpp"

namespace davit::nodelifecycle {

/// Pods are many, so their projection names single fields; README.md says who reads which.
constexpr void declare(Note& note) {
  note.plugin("nodelifecycle", "0.1.0")
      .controller({.name = "node-lifecycle-controller",
                   .factory = &NodeLifecycleController::open,
                   .aliases = {"nodelifecycle"},
                   .workers = 8,
                   .client_name = "node-controller"})
      .rule<Node>({"get", "patch"})
      .rule<Node>({"patch"}, {.subresource = "status"})
      .rule<Pod>({"get", "delete"})
      .rule<Pod>({"patch"}, {.subresource = "status"})
      .events()
      .watch<Node>({"metadata.creationTimestamp", "metadata.labels", "spec.unschedulable",
                    "spec.taints", "status.conditions"})
      .watch<Pod>({"metadata.deletionTimestamp", "spec.nodeName", "status.conditions[].type",
                   "status.conditions[].status", "status.reason"})
      .watch<Lease>({"spec.renewTime"}, {.field_selector = "metadata.namespace=kube-node-lease"})
      .controller({.name = "taint-eviction-controller",
                   .factory = &make_without_options<TaintEvictionController>,
                   .workers = 8})
      .rule<Pod>({"get", "delete"})
      .rule<Pod>({"patch"}, {.subresource = "status"})
      .events()
      .watch<Node>({"spec.taints"})
      .watch<Pod>({"spec.nodeName", "spec.tolerations"});
}

}  // namespace davit::nodelifecycle
