/// The facts about a pod that the rules need, read from its view.
#pragma once

#include <chrono>
#include <davit/kube/pod.hpp>
#include <davit/kube/replica_set.hpp>
#include <davit/time.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/shared/replicas/status_plan.hpp"

namespace davit::replicas {

/// The labels of a pod template, read once for all pods of a sync. Lives like the ReplicaSet.
class TemplateLabels {
 public:
  explicit TemplateLabels(const ReplicaSet& set);

  /// Whether the pod carries each of them with the same value.
  [[nodiscard]] bool are_on(const Pod& pod) const;

 private:
  std::vector<std::pair<std::string_view, std::string_view>> labels_;
};

/// The state at `now` of a pod that must be ready for `min_ready` to be available.
[[nodiscard]] PodState pod_state(const Pod& pod, const TemplateLabels& labels,
                                 std::chrono::seconds min_ready, WallTime now);

}  // namespace davit::replicas
