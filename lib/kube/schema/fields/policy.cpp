// policy v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kPolicyFields = R"(
Eviction: 1 metadata:meta.ObjectMeta, 2 deleteOptions:meta.DeleteOptions
PodDisruptionBudget: 1 metadata:meta.ObjectMeta, 2 spec:PodDisruptionBudgetSpec!,
  3 status:PodDisruptionBudgetStatus!
PodDisruptionBudgetSpec: 1 minAvailable:IntOrString, 2 selector:meta.LabelSelector,
  3 maxUnavailable:IntOrString, 4 unhealthyPodEvictionPolicy:s?
PodDisruptionBudgetStatus: 1 observedGeneration:l, 2 disruptedPods:{Time}, 3 disruptionsAllowed:i!,
  4 currentHealthy:i!, 5 desiredHealthy:i!, 6 expectedPods:i!, 7 conditions[]:meta.Condition
)";

}  // namespace

std::string_view policy_fields() { return kPolicyFields; }

}  // namespace davit
