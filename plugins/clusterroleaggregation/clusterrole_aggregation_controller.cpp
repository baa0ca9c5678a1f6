#include "plugins/clusterroleaggregation/clusterrole_aggregation_controller.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "plugins/clusterroleaggregation/aggregation_plan.hpp"

namespace davit::clusterroles {
namespace {

// Force: rules that somebody else wrote are replaced, and belong to this manager from then on.
constexpr std::string_view kFieldManager = "clusterrole-aggregation-controller";

}  // namespace

ClusterRoleAggregationController::ClusterRoleAggregationController(Context& cluster)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = "ClusterRoleAggregator"},
                                [this](const Key& key) { return sync(key); })),
      roles_(cluster.open_informer<ClusterRole>(
          {.any = [this](const Event<ClusterRole>&) { enqueue_aggregated(); }})) {}

void ClusterRoleAggregationController::enqueue_aggregated() const {
  for (const ClusterRole& each : roles_.list()) {
    if (each.is_aggregated()) queue_.add(each);
  }
}

Result<Again> ClusterRoleAggregationController::sync(const Key& key) const {
  const Lookup<ClusterRole> role = roles_.get(key);
  if (!role || !role->is_aggregated()) return Again::when_changed();
  const List<ClusterRole> all = roles_.list();
  const Result<std::vector<std::string>> rules =
      aggregated_rules(*role, std::vector<ClusterRole>(all.begin(), all.end()));
  if (!rules) return rules.error();
  if (*rules == rule_texts(role->rules())) return Again::when_changed();
  const Result<ClusterRole> applied = cluster_.client().patch<ClusterRole>(
      key, PatchType::kApply, apply_body(key.name, *rules),
      {.answer = Answer::kMetadata, .field_manager = kFieldManager, .force = true});
  if (!applied) return applied.error();
  return Again::when_changed();
}

}  // namespace davit::clusterroles
