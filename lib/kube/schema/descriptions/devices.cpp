// resource v1: devices and claims of them.
#include "lib/kube/schema/descriptions/descriptions.hpp"

namespace davit {

namespace {

constexpr std::string_view kDevicesDescriptions = R"(
resource.v1.DeviceClass: A class of devices that claims can ask for.
resource.v1.ResourceClaim: A request for devices, which pods refer to.
resource.v1.ResourceClaimTemplate: A template for claims that pods get for themselves.
resource.v1.ResourceSlice: Devices that a driver offers on a node or a group of nodes.
resource.v1.AllocatedDeviceStatus: Status of an allocated device, as its driver reports it.
  data: Data in the driver's own format.
  device: Name of the device in its pool.
  driver: Name of the driver.
  networkData: Network addresses of the device.
  pool: Name of the pool that the device is in.
  shareID: Identity of the share of a device that several requests use.
resource.v1.AllocationResult: What was allocated for a claim.
  allocationTimestamp: When the claim was allocated.
  devices: The allocated devices.
  nodeSelector: Nodes from which the devices can be used. Absent: every node.
resource.v1.CELDeviceSelector: Selects devices by a CEL expression.
  expression: Expression that is true for suitable devices. It sees device.driver, device.attributes
    and device.capacity.
resource.v1.CapacityRequestPolicy: How requests for a part of a capacity are granted.
  default: Amount that a request gets if it names none.
  validRange: Range of amounts that may be used. Not together with validValues.
  validValues: Amounts that may be used, in ascending order. A request is rounded up to one of them.
resource.v1.CapacityRequestPolicyRange: A range of amounts.
  max: Largest amount. Absent: the whole capacity.
  min: Smallest amount. A smaller request is raised to it.
  step: Distance between amounts. A request is rounded up to min plus a multiple of it.
resource.v1.CapacityRequirements: Capacity that a request needs.
  requests: Least amount of each capacity that a device must have free.
resource.v1.Counter: An amount that devices share.
  value: How much there is, or how much is used.
resource.v1.CounterSet: Counters that devices of a pool share.
  counters: The counters, by name.
  name: Name of the set, unique in the pool.
resource.v1.Device: A device that a driver offers.
  allNodes: Whether every node can use the device. Only with perDeviceNodeSelection.
  allowMultipleAllocations: Whether several requests may share the device. Default: false.
  attributes: Properties of the device, by name. Selectors use them.
  bindingConditions: Conditions that must be True in the device's status before a pod is bound to
    the node.
  bindingFailureConditions: Conditions of which one that is True means that binding has failed.
  bindsToNode: Whether an allocation of the device is limited to the node that was chosen for it.
  capacity: Amounts that the device has, by name.
  consumesCounters: What the device takes from shared counters.
  name: Name of the device, unique in its pool.
  nodeAllocatableResourceMappings: How the device counts against resources of the node, such as cpu,
    by resource.
  nodeName: Node that can use the device. Only with perDeviceNodeSelection.
  nodeSelector: Nodes that can use the device. Only with perDeviceNodeSelection.
  taints: Marks that keep away requests without a matching toleration.
resource.v1.DeviceAllocationConfiguration: Settings for the driver of allocated devices.
  requests: Requests that the settings are for. Empty: all of the claim.
  source: Where the settings come from: FromClass or FromClaim.
resource.v1.DeviceAllocationResult: Devices that were allocated for a claim.
  config: Settings for the drivers. Later ones come before earlier ones.
  results: The devices, with their requests.
resource.v1.DeviceAttribute: A property of a device. Exactly one member is set.
  bool: A boolean.
  bools: Several booleans.
  int: An integer.
  ints: Several integers.
  string: A text of at most 64 characters.
  strings: Several texts.
  version: A semantic version, such as 1.2.3.
  versions: Several semantic versions.
resource.v1.DeviceCapacity: An amount that a device has.
  requestPolicy: How requests for a part of it are granted. Only for devices that several requests
    may share.
  value: How much there is.
resource.v1.DeviceClaim: Devices that are asked for.
  config: Settings for the drivers.
  constraints: What must be true of several devices together.
  requests: The devices, one request for each kind. All requests must be met.
resource.v1.DeviceClaimConfiguration: Settings for the drivers of requested devices.
  requests: Requests that the settings are for. Empty: all of the claim.
resource.v1.DeviceClassConfiguration: Settings for the drivers of a class's devices.
resource.v1.DeviceClassSpec: The devices of a class.
  config: Settings that each device of the class gets.
  extendedResourceName: Extended resource, such as example.com/gpu, whose requests devices of the
    class can meet.
  selectors: What a device must fulfil. All selectors must match.
resource.v1.DeviceConfiguration: Settings for a driver.
  opaque: Settings in the driver's own format.
resource.v1.DeviceConstraint: What must be true of several devices together.
  distinctAttribute: Attribute that must have another value for each device.
  matchAttribute: Attribute that must have the same value for all devices.
  requests: Requests whose devices it is about. Empty: all of the claim.
resource.v1.DeviceCounterConsumption: What a device takes from a set of shared counters.
  counterSet: Name of the set.
  counters: Amounts that the device takes, by counter.
resource.v1.DeviceRequest: A request for devices. Either exactly or firstAvailable is set.
  exactly: What is needed.
  firstAvailable: Alternatives in order of preference. The first that can be met is taken.
  name: Name of the request, unique in the claim. Containers refer to it.
resource.v1.DeviceRequestAllocationResult: A device that was allocated for a request.
  adminAccess: Whether the device is used for administration, beside its other users.
  bindingConditions: Conditions that must be True in the device's status before a pod is bound to
    the node, as at the allocation.
  bindingFailureConditions: Conditions of which one that is True means that binding has failed, as
    at the allocation.
  consumedCapacity: Amounts of the device that the request uses. Only for devices that several
    requests may share.
  device: Name of the device in its pool.
  driver: Name of the driver.
  pool: Name of the pool that the device is in.
  request: Name of the request; REQUEST/SUBREQUEST for an alternative.
  shareID: Identity of this share of a device that several requests use.
  tolerations: Tolerations of the request at the allocation.
resource.v1.DeviceSelector: Selects devices.
  cel: CEL expression that must be true.
resource.v1.DeviceSubRequest: One of several alternatives of a request.
  name: Name of the alternative, unique in the request.
resource.v1.DeviceSubRequest resource.v1.ExactDeviceRequest:
  allocationMode: ExactCount allocates count devices, All every device that matches. Default:
    ExactCount.
  capacity: Capacity that each device must have free.
  count: How many devices are needed. Only for allocationMode ExactCount. Default: 1.
  deviceClassName: DeviceClass of the devices.
  selectors: What each device must fulfil beside the selectors of the class. All must match.
  tolerations: Taints of devices that the request gets along with.
resource.v1.DeviceTaint resource.v1beta2.DeviceTaint: Mark of a device that only requests with a
    matching toleration get along with.
  effect: None has no effect, NoSchedule keeps new pods away, NoExecute also evicts those that run.
  key: Key of the taint.
  timeAdded: When the taint was added. Default: the current time.
  value: Value of the taint.
resource.v1beta2.DeviceTaintRule: Adds a taint to all devices that it selects.
  spec: The devices, and the taint.
  status: How far the eviction of pods is. Written by the controller.
resource.v1beta2.DeviceTaintRuleSpec: The devices, and the taint.
  deviceSelector: Devices that get the taint. Absent: none; empty: all.
  taint: The taint.
resource.v1beta2.DeviceTaintRuleStatus: How far the eviction of pods is.
  conditions: EvictionInProgress is True while pods are to be evicted because of the rule.
resource.v1beta2.DeviceTaintSelector: Devices that fulfil everything that is set.
  device: Name of the device in its pool. Pools may have devices of the same name.
  driver: Name of the driver.
  pool: Name of the pool. Drivers may have pools of the same name.
resource.v1.DeviceToleration: Taints of devices that a request gets along with.
  effect: Effect of the taint: NoSchedule or NoExecute. Empty: every effect.
  key: Key of the taint. Empty, with operator Exists: every taint.
  operator: Exists takes every value, Equal the given one. Default: Equal.
  tolerationSeconds: Seconds that pods stay with a NoExecute taint. Absent: for ever.
  value: Value of the taint. Empty with operator Exists.
resource.v1.ExactDeviceRequest: Devices that a request needs.
  adminAccess: Whether to use the devices for administration, beside their other users. The
    namespace must allow it. Default: false.
resource.v1.NetworkDeviceData: Network addresses of a device.
  hardwareAddress: Hardware address of the interface, such as its MAC address.
  interfaceName: Name of the network interface in the pod.
  ips: IP addresses of the interface in CIDR notation, such as 192.0.2.5/24.
resource.v1.NodeAllocatableResourceMapping: How a device counts against a resource of the node.
  allocationMultiplier: Factor for the number of devices, or for the amount that capacityKey names.
    Default: 1.
  capacityKey: Capacity of the device whose used amount counts. Absent: the number of devices
    counts.
resource.v1.OpaqueDeviceConfiguration: Settings in a driver's own format.
  driver: Name of the driver.
  parameters: The settings, an object with apiVersion and kind of its own.
resource.v1.ResourceClaimConsumerReference: An object that uses a claim.
  apiGroup: API group of the object. "" is the core group.
  name: Name of the object.
  resource: Resource of the object, such as pods.
  uid: UID of the object.
resource.v1.ResourceClaimSpec: The devices that are asked for. It cannot change.
  devices: The devices, with constraints and settings.
resource.v1.ResourceClaimStatus: Observed state of a claim.
  allocation: What was allocated. Absent: nothing yet.
  devices: Status of each allocated device, as its driver reports it.
  reservedFor: Objects that may use the claim, at most 256. It is released only when none are left.
resource.v1.ResourceClaimTemplateSpec: The claims that a template creates. It cannot change.
  metadata: Labels and annotations of the claims.
  spec: The devices that each claim asks for.
resource.v1.ResourcePool: The pool that the devices of a slice belong to.
  generation: Generation of the pool. Only slices of the highest one count.
  name: Name of the pool, often that of the node.
  resourceSliceCount: How many slices the pool has at this generation.
resource.v1.ResourceSliceSpec: Devices of a pool. Exactly one of nodeName, nodeSelector, allNodes
    and perDeviceNodeSelection is set.
  allNodes: Whether every node can use the devices.
  devices: The devices, at most 128. Not together with sharedCounters.
  driver: Name of the driver. It cannot change.
  nodeName: Node that has the devices. It cannot change.
  nodeSelector: Nodes that can use the devices.
  perDeviceNodeSelection: Whether each device says which nodes can use it.
  pool: Pool that the devices belong to.
  sharedCounters: Counters that devices of the pool share.
)";

}  // namespace

std::string_view devices_descriptions() { return kDevicesDescriptions; }

}  // namespace davit
