// autoscaling v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kAutoscalingFields = R"(
CrossVersionObjectReference: 1 kind:s!, 2 name:s!, 3 apiVersion:s
HorizontalPodAutoscaler: 1 metadata:meta.ObjectMeta, 2 spec:HorizontalPodAutoscalerSpec!,
  3 status:HorizontalPodAutoscalerStatus!
HorizontalPodAutoscalerSpec: 1 scaleTargetRef:CrossVersionObjectReference!, 2 minReplicas:i?,
  3 maxReplicas:i!, 4 targetCPUUtilizationPercentage:i?
HorizontalPodAutoscalerStatus: 1 observedGeneration:l?, 2 lastScaleTime:Time, 3 currentReplicas:i!,
  4 desiredReplicas:i!, 5 currentCPUUtilizationPercentage:i?
Scale: 1 metadata:meta.ObjectMeta, 2 spec:ScaleSpec!, 3 status:ScaleStatus!
ScaleSpec: 1 replicas:i
ScaleStatus: 1 replicas:i!, 2 selector:s
)";

}  // namespace

std::string_view autoscaling_fields() { return kAutoscalingFields; }

}  // namespace davit
