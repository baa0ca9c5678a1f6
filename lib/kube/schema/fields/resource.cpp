// resource v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kResourceFields = R"(
AllocatedDeviceStatus: 1 driver:s!, 2 pool:s!, 3 device:s!, 4 conditions[]:meta.Condition!,
  5 data:RawExtension, 6 networkData:NetworkDeviceData, 7 shareID:s?
AllocationResult: 1 devices:DeviceAllocationResult!, 3 nodeSelector:core.NodeSelector,
  5 allocationTimestamp:Time
CELDeviceSelector: 1 expression:s!
CapacityRequestPolicy: 1 default:Quantity?!, 3 validValues[]:Quantity,
  4 validRange:CapacityRequestPolicyRange
CapacityRequestPolicyRange: 1 min:Quantity, 2 max:Quantity, 3 step:Quantity
CapacityRequirements: 1 requests:{Quantity}
Counter: 1 value:Quantity!
CounterSet: 1 name:s!, 2 counters:{Counter}
Device: 1 name:s!, 2 attributes:{DeviceAttribute}, 3 capacity:{DeviceCapacity},
  4 consumesCounters[]:DeviceCounterConsumption, 5 nodeName:s?, 6 nodeSelector:core.NodeSelector,
  7 allNodes:b?, 8 taints[]:DeviceTaint, 9 bindsToNode:b?, 10 bindingConditions[]:s,
  11 bindingFailureConditions[]:s, 12 allowMultipleAllocations:b?,
  13 nodeAllocatableResourceMappings:{NodeAllocatableResourceMapping}
DeviceAllocationConfiguration: 1 source:s!, 2 requests[]:s,
  3 deviceConfiguration:DeviceConfiguration^
DeviceAllocationResult: 1 results[]:DeviceRequestAllocationResult,
  2 config[]:DeviceAllocationConfiguration
DeviceAttribute: 2 int:l?, 3 bool:b?, 4 string:s?, 5 version:s?, 6 ints[]:l, 7 bools[]:b,
  8 strings[]:s, 9 versions[]:s
DeviceCapacity: 1 value:Quantity!, 2 requestPolicy:CapacityRequestPolicy
DeviceClaim: 1 requests[]:DeviceRequest!, 2 constraints[]:DeviceConstraint,
  3 config[]:DeviceClaimConfiguration
DeviceClaimConfiguration: 1 requests[]:s, 2 deviceConfiguration:DeviceConfiguration^
DeviceClass: 1 metadata:meta.ObjectMeta, 2 spec:DeviceClassSpec!
DeviceClassConfiguration: 1 deviceConfiguration:DeviceConfiguration^
DeviceClassSpec: 1 selectors[]:DeviceSelector, 2 config[]:DeviceClassConfiguration,
  4 extendedResourceName:s?
DeviceConfiguration: 1 opaque:OpaqueDeviceConfiguration
DeviceConstraint: 1 requests[]:s, 2 matchAttribute:s?, 3 distinctAttribute:s?
DeviceCounterConsumption: 1 counterSet:s!, 2 counters:{Counter}
DeviceRequest: 1 name:s!, 2 exactly:ExactDeviceRequest, 3 firstAvailable[]:DeviceSubRequest
DeviceRequestAllocationResult: 1 request:s!, 2 driver:s!, 3 pool:s!, 4 device:s!, 5 adminAccess:b?,
  6 tolerations[]:DeviceToleration, 7 bindingConditions[]:s, 8 bindingFailureConditions[]:s,
  9 shareID:s?, 10 consumedCapacity:{Quantity}
DeviceSelector: 1 cel:CELDeviceSelector
DeviceSubRequest: 1 name:s!, 2 deviceClassName:s!, 3 selectors[]:DeviceSelector, 4 allocationMode:s,
  5 count:l, 6 tolerations[]:DeviceToleration, 7 capacity:CapacityRequirements
DeviceTaint: 1 key:s!, 2 value:s, 3 effect:s!, 4 timeAdded:Time
DeviceToleration: 1 key:s, 2 operator:s, 3 value:s, 4 effect:s, 5 tolerationSeconds:l?
ExactDeviceRequest: 1 deviceClassName:s!, 2 selectors[]:DeviceSelector, 3 allocationMode:s,
  4 count:l, 5 adminAccess:b?, 6 tolerations[]:DeviceToleration, 7 capacity:CapacityRequirements
NetworkDeviceData: 1 interfaceName:s, 2 ips[]:s, 3 hardwareAddress:s
NodeAllocatableResourceMapping: 1 capacityKey:s?, 2 allocationMultiplier:Quantity
OpaqueDeviceConfiguration: 1 driver:s!, 2 parameters:RawExtension!
ResourceClaim: 1 metadata:meta.ObjectMeta, 2 spec:ResourceClaimSpec!, 3 status:ResourceClaimStatus!
ResourceClaimConsumerReference: 1 apiGroup:s, 3 resource:s!, 4 name:s!, 5 uid:s!
ResourceClaimSpec: 1 devices:DeviceClaim!
ResourceClaimStatus: 1 allocation:AllocationResult, 2 reservedFor[]:ResourceClaimConsumerReference,
  4 devices[]:AllocatedDeviceStatus
ResourceClaimTemplate: 1 metadata:meta.ObjectMeta, 2 spec:ResourceClaimTemplateSpec!
ResourceClaimTemplateSpec: 1 metadata:meta.ObjectMeta, 2 spec:ResourceClaimSpec!
ResourcePool: 1 name:s!, 2 generation:l!, 3 resourceSliceCount:l!
ResourceSlice: 1 metadata:meta.ObjectMeta, 2 spec:ResourceSliceSpec!
ResourceSliceSpec: 1 driver:s!, 2 pool:ResourcePool!, 3 nodeName:s?,
  4 nodeSelector:core.NodeSelector, 5 allNodes:b?, 6 devices[]:Device, 7 perDeviceNodeSelection:b?,
  8 sharedCounters[]:CounterSet
)";

}  // namespace

std::string_view resource_fields() { return kResourceFields; }

}  // namespace davit
