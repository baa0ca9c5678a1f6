/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controller under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/pod.hpp>

#include "plugins/podautoscaler/autoscaler.hpp"
#include "plugins/podautoscaler/autoscaler_controller.hpp"

namespace davit::podautoscaler {

/// Another server has them, which computes them at each request.
inline constexpr Resource kPodMetricsList{"metrics.k8s.io", "v1beta1", "pods", "PodMetrics"};
/// Every metric is a resource of its group.
inline constexpr Resource kCustomMetrics{"custom.metrics.k8s.io", "v1beta2", "*", ""};
/// The same for metrics of no object.
inline constexpr Resource kExternalMetrics{"external.metrics.k8s.io", "v1beta1", "*", ""};

/// Autoscalers are read whole, because a PUT of their status carries the whole object. Pods are
/// many, so their projection names single fields.
constexpr void declare(Note& note) {
  note.plugin("podautoscaler", "0.1.0")
      .needs("davit.discovery/1")
      .controller({.name = "horizontal-pod-autoscaler-controller",
                   .factory = &AutoscalerController::open,
                   .aliases = {"horizontalpodautoscaling"},
                   .workers = 5,
                   .client_name = "horizontal-pod-autoscaler"})
      .events()
      .rule<Autoscaler>({"update"}, {.subresource = "status"})
      .rule(kEveryResource, {"get", "update"}, {.subresource = "scale"})
      .rule(kPodMetricsList, {"list"})
      .rule(kCustomMetrics, {"get"})
      .rule(kExternalMetrics, {"list"})
      .watch<Autoscaler>()
      .watch<Pod>({"metadata.labels", "metadata.deletionTimestamp", "spec.containers[].name",
                   "spec.containers[].resources.requests", "spec.initContainers[].name",
                   "spec.initContainers[].restartPolicy",
                   "spec.initContainers[].resources.requests", "spec.resources.requests",
                   "spec.overhead", "status.phase", "status.startTime", "status.conditions[].type",
                   "status.conditions[].status", "status.conditions[].lastTransitionTime"});
}

}  // namespace davit::podautoscaler
