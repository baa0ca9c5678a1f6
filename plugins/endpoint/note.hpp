/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/endpoint_slice.hpp>
#include <davit/kube/endpoints.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/service.hpp>

#include "plugins/endpoint/endpoints_controller.hpp"
#include "plugins/endpoint/endpointslice_controller.hpp"

namespace davit::endpoint {

/// Pods are many, so their projection names single fields; Endpoints and EndpointSlices are read
/// whole because they are written whole. README.md says who reads which.
constexpr void declare(Note& note) {
  note.plugin("endpoint", "0.1.0")
      .controller({.name = "endpoints-controller",
                   .factory = &EndpointsController::open,
                   .aliases = {"endpoint", "endpoint-controller"},
                   .workers = 5,
                   .client_name = "endpoint-controller"})
      .rule<Endpoints>({"create", "update", "delete"})
      .rule<Endpoints>({"create"}, {.subresource = "restricted"})
      .events()
      .watch<Service>({"metadata.labels", "metadata.creationTimestamp", "spec.type",
                       "spec.selector", "spec.clusterIP", "spec.ipFamilies",
                       "spec.publishNotReadyAddresses", "spec.ports"})
      .watch<Endpoints>()
      .watch<Pod>({"metadata.labels", "metadata.deletionTimestamp", "spec.nodeName",
                   "spec.hostname", "spec.subdomain", "spec.containers[].ports",
                   "spec.initContainers[].restartPolicy", "spec.initContainers[].ports",
                   "status.phase", "status.podIP", "status.podIPs", "status.conditions[].type",
                   "status.conditions[].status", "status.conditions[].lastTransitionTime"})
      .controller({.name = "endpointslice-controller",
                   .factory = &EndpointSliceController::open,
                   .aliases = {"endpointslice"},
                   .workers = 5,
                   .client_name = "endpoint-slice-controller"})
      .rule<Service>({"update"}, {.subresource = "finalizers"})
      .rule<EndpointSlice>({"create", "update", "delete"})
      .rule<EndpointSlice>({"create"}, {.subresource = "restricted"})
      .events()
      .watch<Service>({"metadata.labels", "metadata.creationTimestamp",
                       "metadata.deletionTimestamp",
                       "metadata.annotations['service.kubernetes.io/topology-mode']",
                       "metadata.annotations['service.kubernetes.io/topology-aware-hints']",
                       "spec.type", "spec.selector", "spec.clusterIP", "spec.ipFamilies",
                       "spec.publishNotReadyAddresses", "spec.trafficDistribution", "spec.ports"})
      .watch<Node>({"metadata.labels", "status.conditions[].type", "status.conditions[].status",
                    "status.allocatable"})
      .watch<EndpointSlice>()
      .watch<Pod>({"metadata.labels", "metadata.deletionTimestamp", "spec.nodeName",
                   "spec.hostname", "spec.subdomain", "spec.containers[].ports",
                   "spec.initContainers[].restartPolicy", "spec.initContainers[].ports",
                   "status.phase", "status.podIP", "status.podIPs", "status.conditions[].type",
                   "status.conditions[].status", "status.conditions[].lastTransitionTime"});
}

}  // namespace davit::endpoint
