#include "plugins/shared/replicas/pod_facts.hpp"

#include <algorithm>
#include <optional>

namespace davit::replicas {

TemplateLabels::TemplateLabels(const ReplicaSet& set) {
  const Value labels = set.pod_template()[&Names::metadata][&Names::labels];
  for (const Member& each : labels.members()) labels_.emplace_back(each.key, each.value.string());
}

bool TemplateLabels::are_on(const Pod& pod) const {
  const Value carried = pod.labels();
  return std::all_of(labels_.begin(), labels_.end(), [&](const auto& label) {
    return carried[label.first].text() == label.second;
  });
}

PodState pod_state(const Pod& pod, const TemplateLabels& labels) {
  PodState state;
  state.fully_labeled = labels.are_on(pod);
  if (const std::optional<ConditionView> ready = pod.condition("Ready")) {
    state.ready = ready->is_true();
    state.ready_since = ready->last_transition_time();
  }
  return state;
}

PodRank pod_rank(const Pod& pod) {
  PodRank rank;
  rank.uid = pod.uid();
  rank.node = pod.node_name();
  rank.progress = pod_progress(pod.phase());
  if (const std::optional<ConditionView> ready = pod.condition("Ready")) {
    rank.ready = ready->is_true();
    rank.ready_since = ready->last_transition_time();
  }
  rank.created = pod.creation_time();
  rank.deletion_cost = parse_deletion_cost(pod.annotation(kDeletionCost).value_or(""));
  const PodRestarts restarts = pod.restarts();
  rank.restarts = restarts.containers;
  rank.sidecar_restarts = restarts.sidecars;
  return rank;
}

}  // namespace davit::replicas
