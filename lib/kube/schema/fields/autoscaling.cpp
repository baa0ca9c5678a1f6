// autoscaling v1.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kAutoscalingFields = R"(
Scale: 1 metadata:meta.ObjectMeta, 2 spec:ScaleSpec!, 3 status:ScaleStatus!
ScaleSpec: 1 replicas:i
ScaleStatus: 1 replicas:i!, 2 selector:s
)";

}  // namespace

std::string_view autoscaling_fields() { return kAutoscalingFields; }

}  // namespace davit
