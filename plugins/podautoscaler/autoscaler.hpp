/// HorizontalPodAutoscaler: a view.
#pragma once

#include <cstdint>
#include <davit/kube/metadata.hpp>

namespace davit::podautoscaler {

/// A HorizontalPodAutoscaler of autoscaling/v2.
class Autoscaler : public ObjectView {
 public:
  static constexpr Resource kResource{"autoscaling", "v2", "horizontalpodautoscalers",
                                      "HorizontalPodAutoscaler"};
  using ObjectView::ObjectView;

  /// 1 when absent.
  [[nodiscard]] std::int32_t min_replicas() const {
    return static_cast<std::int32_t>(spec()["minReplicas"].integer_or(1));
  }
  [[nodiscard]] std::int32_t max_replicas() const {
    return static_cast<std::int32_t>(spec()["maxReplicas"].integer_or(0));
  }
  [[nodiscard]] Value target() const { return spec()["scaleTargetRef"]; }
  [[nodiscard]] Value metrics() const { return spec()["metrics"]; }
};

}  // namespace davit::podautoscaler
