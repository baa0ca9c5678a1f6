/// The facts about a pod that the rules need, read from its view.
#pragma once

#include <davit/kube/pod.hpp>
#include <davit/kube/replica_set.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/shared/replicas/pod_ranking.hpp"
#include "plugins/shared/replicas/status_plan.hpp"

namespace davit::replicas {

inline constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";

/// The labels of a pod template, read once for all pods of a sync. Lives like the ReplicaSet.
class TemplateLabels {
 public:
  explicit TemplateLabels(const ReplicaSet& set);

  /// Whether the pod carries each of them with the same value.
  [[nodiscard]] bool are_on(const Pod& pod) const;

 private:
  std::vector<std::pair<std::string_view, std::string_view>> labels_;
};

[[nodiscard]] PodState pod_state(const Pod& pod, const TemplateLabels& labels);

/// Everything but the neighbours; lives like the pod.
[[nodiscard]] PodRank pod_rank(const Pod& pod);

}  // namespace davit::replicas
