/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/service.hpp>

#include "plugins/cloud/cloud_node_controller.hpp"
#include "plugins/cloud/cloud_node_lifecycle_controller.hpp"
#include "plugins/cloud/node_route_controller.hpp"
#include "plugins/cloud/service_lb_controller.hpp"

namespace davit::cloud {

constexpr void declare(Note& note) {
  note.plugin("cloud", "0.1.0")
      .needs("davit.cloud/1")
      .controller({.name = "service-lb-controller",
                   .factory = &ServiceLbController::open,
                   .aliases = {"service"},
                   .client_name = "service-controller"})
      .rule<Service>({"patch"}, {.subresource = "status"})
      .events()
      .watch<Service>({"metadata.deletionTimestamp", "metadata.finalizers", "metadata.annotations",
                       "spec.type", "spec.loadBalancerClass", "spec.loadBalancerIP",
                       "spec.loadBalancerSourceRanges", "spec.ports", "spec.sessionAffinity",
                       "spec.sessionAffinityConfig", "spec.externalIPs",
                       "spec.externalTrafficPolicy", "spec.healthCheckNodePort", "spec.ipFamilies",
                       "status.loadBalancer"})
      .watch<Node>(
          {"metadata.deletionTimestamp", "metadata.labels", "spec.providerID", "spec.taints"})
      .controller({.name = "node-route-controller",
                   .factory = &NodeRouteController::open,
                   .aliases = {"route"},
                   .workers = 16,
                   .client_name = "route-controller",
                   .event_component = "route_controller"})
      .rule<Node>({"patch"}, {.subresource = "status"})
      .events()
      .watch<Node>({"spec.podCIDRs", "status.addresses", "status.conditions"})
      .controller({.name = "cloud-node-lifecycle-controller",
                   .factory = &CloudNodeLifecycleController::open,
                   .aliases = {"cloud-node-lifecycle"},
                   .workers = 10,
                   .client_name = "node-controller",
                   .event_component = "cloud-node-lifecycle-controller"})
      .rule<Node>({"get", "patch", "delete"})
      .events()
      .watch<Node>({"spec.providerID", "spec.taints", "status.conditions"})
      .controller({.name = "cloud-node-controller",
                   .factory = &CloudNodeController::open,
                   .aliases = {"cloud-node"},
                   .client_name = "node-controller",
                   .event_component = "cloud-node-controller"})
      .rule<Node>({"get", "patch"})
      .rule<Node>({"patch"}, {.subresource = "status"})
      .events()
      .watch<Node>(
          {"metadata.labels", "metadata.annotations['alpha.kubernetes.io/provided-node-ip']",
           "metadata.creationTimestamp", "spec.providerID", "spec.taints", "status.addresses"});
}

}  // namespace davit::cloud
