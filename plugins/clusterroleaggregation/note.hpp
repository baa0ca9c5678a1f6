/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/options.hpp>

#include "plugins/clusterroleaggregation/cluster_role.hpp"
#include "plugins/clusterroleaggregation/clusterrole_aggregation_controller.hpp"

namespace davit::clusterroles {

constexpr void declare(Note& note) {
  note.plugin("clusterroleaggregation", "0.1.0")
      .controller({.name = "clusterrole-aggregation-controller",
                   .factory = &make_without_options<ClusterRoleAggregationController>,
                   .aliases = {"clusterrole-aggregation"},
                   .workers = 5})
      .rule<ClusterRole>({"patch", "escalate"})
      .watch<ClusterRole>({"metadata.labels", "aggregationRule", "rules"});
}

}  // namespace davit::clusterroles
