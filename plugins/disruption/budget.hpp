/// PodDisruptionBudget: a typed view of what the controller reads.
#pragma once

#include <davit/kube/metadata.hpp>

namespace davit::disruption {

class PodDisruptionBudget : public ObjectView {
 public:
  static constexpr Resource kResource{"policy", "v1", "poddisruptionbudgets",
                                      "PodDisruptionBudget"};
  using ObjectView::ObjectView;

  /// A LabelSelector; see Selector::parse.
  [[nodiscard]] Value selector() const { return spec()[&Names::selector]; }
  /// A number or a percentage; absent if the budget has the other one.
  [[nodiscard]] Value min_available() const { return spec()["minAvailable"]; }
  [[nodiscard]] Value max_unavailable() const { return spec()[&Names::max_unavailable]; }
  /// Name of a pod → the time at which the server accepted its eviction.
  [[nodiscard]] Value disrupted_pods() const { return status()["disruptedPods"]; }
  [[nodiscard]] Value conditions() const { return status()[&Names::conditions]; }
};

}  // namespace davit::disruption
