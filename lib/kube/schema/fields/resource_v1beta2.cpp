// resource v1beta2.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kResourceV1beta2Fields = R"(
DeviceTaint: 1 key:s!, 2 value:s, 3 effect:s!, 4 timeAdded:Time
DeviceTaintRule: 1 metadata:meta.ObjectMeta, 2 spec:DeviceTaintRuleSpec!,
  3 status:DeviceTaintRuleStatus!
DeviceTaintRuleSpec: 1 deviceSelector:DeviceTaintSelector, 2 taint:DeviceTaint!
DeviceTaintRuleStatus: 1 conditions[]:meta.Condition
DeviceTaintSelector: 2 driver:s?, 3 pool:s?, 4 device:s?
)";

}  // namespace

std::string_view resource_v1beta2_fields() { return kResourceV1beta2Fields; }

}  // namespace davit
