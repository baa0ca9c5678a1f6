/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controller under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/node.hpp>

#include "plugins/nodeipam/node_ipam_controller.hpp"

namespace davit::nodeipam {

constexpr void declare(Note& note) {
  note.plugin("nodeipam", "0.1.0")
      .controller({.name = "node-ipam-controller",
                   .factory = &NodeIpamController::open,
                   .aliases = {"nodeipam"},
                   .workers = 30,
                   .client_name = "node-controller",
                   .event_component = "cidrAllocator"})
      .rule<Node>({"patch"})
      .events()
      .watch<Node>({"metadata.deletionTimestamp", "spec.podCIDR", "spec.podCIDRs"});
}

}  // namespace davit::nodeipam
