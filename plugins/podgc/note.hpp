/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>

#include "plugins/podgc/pod_gc_controller.hpp"

namespace davit::podgc {

/// Pods are many, so their projection names single fields.
constexpr void declare(Note& note) {
  note.plugin("podgc", "0.1.0")
      .controller({.name = "pod-garbage-collector-controller",
                   .factory = &PodGcController::open,
                   .aliases = {"podgc"},
                   .client_name = "pod-garbage-collector"})
      .rule<Node>({"get"})
      .rule<Pod>({"delete"})
      .rule<Pod>({"patch"}, {.subresource = "status"})
      .watch<Node>({"spec.taints[].key", "status.conditions[].type", "status.conditions[].status"})
      .watch<Pod>({"metadata.creationTimestamp", "metadata.deletionTimestamp",
                   "metadata.generation", "spec.nodeName", "status.conditions[].type",
                   "status.conditions[].status", "status.phase", "status.reason"});
}

}  // namespace davit::podgc
