// autoscaling v2.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kAutoscalingV2Fields = R"(
ContainerResourceMetricSource: 1 name:s!, 2 target:MetricTarget!, 3 container:s!
ContainerResourceMetricStatus: 1 name:s!, 2 current:MetricValueStatus!, 3 container:s!
CrossVersionObjectReference: 1 kind:s!, 2 name:s!, 3 apiVersion:s
ExternalMetricSource: 1 metric:MetricIdentifier!, 2 target:MetricTarget!
ExternalMetricStatus: 1 metric:MetricIdentifier!, 2 current:MetricValueStatus!
HPAScalingPolicy: 1 type:s!, 2 value:i!, 3 periodSeconds:i!
HPAScalingRules: 1 selectPolicy:s?, 2 policies[]:HPAScalingPolicy, 3 stabilizationWindowSeconds:i?,
  4 tolerance:Quantity
HorizontalPodAutoscaler: 1 metadata:meta.ObjectMeta, 2 spec:HorizontalPodAutoscalerSpec!,
  3 status:HorizontalPodAutoscalerStatus!
HorizontalPodAutoscalerBehavior: 1 scaleUp:HPAScalingRules, 2 scaleDown:HPAScalingRules
HorizontalPodAutoscalerCondition: 1 type:s!, 2 status:s!, 3 lastTransitionTime:Time!, 4 reason:s,
  5 message:s
HorizontalPodAutoscalerSpec: 1 scaleTargetRef:CrossVersionObjectReference!, 2 minReplicas:i?,
  3 maxReplicas:i!, 4 metrics[]:MetricSpec, 5 behavior:HorizontalPodAutoscalerBehavior
HorizontalPodAutoscalerStatus: 1 observedGeneration:l?, 2 lastScaleTime:Time, 3 currentReplicas:i,
  4 desiredReplicas:i!, 5 currentMetrics[]:MetricStatus!,
  6 conditions[]:HorizontalPodAutoscalerCondition
MetricIdentifier: 1 name:s!, 2 selector:meta.LabelSelector
MetricSpec: 1 type:s!, 2 object:ObjectMetricSource, 3 pods:PodsMetricSource,
  4 resource:ResourceMetricSource, 5 external:ExternalMetricSource,
  7 containerResource:ContainerResourceMetricSource
MetricStatus: 1 type:s!, 2 object:ObjectMetricStatus, 3 pods:PodsMetricStatus,
  4 resource:ResourceMetricStatus, 5 external:ExternalMetricStatus,
  7 containerResource:ContainerResourceMetricStatus
MetricTarget: 1 type:s!, 2 value:Quantity, 3 averageValue:Quantity, 4 averageUtilization:i?
MetricValueStatus: 1 value:Quantity, 2 averageValue:Quantity, 3 averageUtilization:i?
ObjectMetricSource: 1 describedObject:CrossVersionObjectReference!, 2 target:MetricTarget!,
  3 metric:MetricIdentifier!
ObjectMetricStatus: 1 metric:MetricIdentifier!, 2 current:MetricValueStatus!,
  3 describedObject:CrossVersionObjectReference!
PodsMetricSource: 1 metric:MetricIdentifier!, 2 target:MetricTarget!
PodsMetricStatus: 1 metric:MetricIdentifier!, 2 current:MetricValueStatus!
ResourceMetricSource: 1 name:s!, 2 target:MetricTarget!
ResourceMetricStatus: 1 name:s!, 2 current:MetricValueStatus!
)";

}  // namespace

std::string_view autoscaling_v2_fields() { return kAutoscalingV2Fields; }

}  // namespace davit
