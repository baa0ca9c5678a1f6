/// The ClusterRole aggregation controller: fills the rules of each ClusterRole with an
/// aggregationRule from the ClusterRoles that its selectors match.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>

#include "plugins/clusterroleaggregation/cluster_role.hpp"

namespace davit::clusterroles {

/// Read, decide, act: the rules are in aggregation_plan, which is pure. Keeps nothing between
/// syncs.
class ClusterRoleAggregationController final : public Controller {
 public:
  explicit ClusterRoleAggregationController(Context& cluster);

 private:
  /// Any role may be a source of any aggregated one, and may just have ceased to be one.
  void enqueue_aggregated() const;
  [[nodiscard]] Result<Again> sync(const Key& key) const;

  Context& cluster_;
  Queue queue_;
  Informer<ClusterRole> roles_;
};

}  // namespace davit::clusterroles
