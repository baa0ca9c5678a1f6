/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/service.hpp>

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
          {"metadata.deletionTimestamp", "metadata.labels", "spec.providerID", "spec.taints"});
}

}  // namespace davit::cloud
