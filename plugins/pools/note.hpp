/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// provider under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/service.hpp>

#include "plugins/pools/pools_controller.hpp"

namespace davit::pools {

/// The row of the table, for tests that also have the loop's row.
constexpr void declare_provider(Note& note) {
  note.controller({.name = "pools", .factory = &PoolsController::open, .off_by_default = true})
      .rule<Service>({"patch"})
      // An apply may create it.
      .rule<ConfigMap>({"get", "create", "patch"},
                       {.resource_names = {kRoutesName}, .namespaces = {kRoutesNamespace}})
      .events()
      .watch<Service>({"metadata.creationTimestamp", "metadata.deletionTimestamp",
                       "metadata.labels", "metadata.annotations", "metadata.finalizers",
                       "spec.type", "spec.loadBalancerClass", "spec.loadBalancerIP",
                       "spec.ipFamilies", "spec.ipFamilyPolicy", "spec.ports", "spec.selector",
                       "spec.externalTrafficPolicy", "status.loadBalancer"})
      .watch<Node>(
          {"metadata.annotations", "spec.podCIDRs", "spec.providerID", "status.addresses"});
}

constexpr void declare(Note& note) {
  note.plugin("pools", "0.1.0").needs("davit.cloud-host/1");
  declare_provider(note);
}

}  // namespace davit::pools
