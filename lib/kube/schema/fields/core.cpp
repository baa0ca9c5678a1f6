// The kinds of v1 but for Pod.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kCoreFields = R"(
AttachedVolume: 1 name:s!, 2 devicePath:s!
Binding: 1 metadata:meta.ObjectMeta, 2 target:ObjectReference!
ClientIPConfig: 1 timeoutSeconds:i?
ComponentCondition: 1 type:s!, 2 status:s!, 3 message:s, 4 error:s
ComponentStatus: 1 metadata:meta.ObjectMeta, 2 conditions[]:ComponentCondition
ConfigMap: 1 metadata:meta.ObjectMeta, 2 data:{s}, 3 binaryData:{y}, 4 immutable:b?
ContainerImage: 1 names[]:s!, 2 sizeBytes:l
DaemonEndpoint: 1 Port:i!
EndpointAddress: 1 ip:s!, 2 targetRef:ObjectReference, 3 hostname:s, 4 nodeName:s?
EndpointPort: 1 name:s, 2 port:i!, 3 protocol:s, 4 appProtocol:s?
EndpointSubset: 1 addresses[]:EndpointAddress, 2 notReadyAddresses[]:EndpointAddress,
  3 ports[]:EndpointPort
Endpoints: 1 metadata:meta.ObjectMeta, 2 subsets[]:EndpointSubset
Event: 1 metadata:meta.ObjectMeta, 2 involvedObject:ObjectReference!, 3 reason:s, 4 message:s,
  5 source:EventSource!, 6 firstTimestamp:Time!, 7 lastTimestamp:Time!, 8 count:i, 9 type:s,
  10 eventTime:MicroTime!, 11 series:EventSeries, 12 action:s, 13 related:ObjectReference,
  14 reportingComponent:s!, 15 reportingInstance:s!
EventSeries: 1 count:i, 2 lastObservedTime:MicroTime!
EventSource: 1 component:s, 2 host:s
LimitRange: 1 metadata:meta.ObjectMeta, 2 spec:LimitRangeSpec!
LimitRangeItem: 1 type:s!, 2 max:{Quantity}, 3 min:{Quantity}, 4 default:{Quantity},
  5 defaultRequest:{Quantity}, 6 maxLimitRequestRatio:{Quantity}
LimitRangeSpec: 1 limits[]:LimitRangeItem!
LoadBalancerIngress: 1 ip:s, 2 hostname:s, 3 ipMode:s?, 4 ports[]:PortStatus
LoadBalancerStatus: 1 ingress[]:LoadBalancerIngress
ModifyVolumeStatus: 1 targetVolumeAttributesClassName:s, 2 status:s!
Namespace: 1 metadata:meta.ObjectMeta, 2 spec:NamespaceSpec!, 3 status:NamespaceStatus!
NamespaceCondition: 1 type:s!, 2 status:s!, 4 lastTransitionTime:Time!, 5 reason:s, 6 message:s
NamespaceSpec: 1 finalizers[]:s
NamespaceStatus: 1 phase:s, 2 conditions[]:NamespaceCondition
Node: 1 metadata:meta.ObjectMeta, 2 spec:NodeSpec!, 3 status:NodeStatus!
NodeAddress: 1 type:s!, 2 address:s!
NodeCondition: 1 type:s!, 2 status:s!, 3 lastHeartbeatTime:Time!, 4 lastTransitionTime:Time!,
  5 reason:s, 6 message:s
NodeDaemonEndpoints: 1 kubeletEndpoint:DaemonEndpoint!
NodeFeatures: 1 supplementalGroupsPolicy:b?
NodeRuntimeHandler: 1 name:s!, 2 features:NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures: 1 recursiveReadOnlyMounts:b?, 2 userNamespaces:b?
NodeSpec: 1 podCIDR:s, 2 externalID:s, 3 providerID:s, 4 unschedulable:b, 5 taints[]:Taint,
  6 configSource:NodeConfigSource, 7 podCIDRs[]:s
NodeStatus: 1 capacity:{Quantity}, 2 allocatable:{Quantity}, 3 phase:s,
  4 conditions[]:NodeCondition, 5 addresses[]:NodeAddress, 6 daemonEndpoints:NodeDaemonEndpoints!,
  7 nodeInfo:NodeSystemInfo!, 8 images[]:ContainerImage, 9 volumesInUse[]:s,
  10 volumesAttached[]:AttachedVolume, 11 config:NodeConfigStatus,
  12 runtimeHandlers[]:NodeRuntimeHandler, 13 features:NodeFeatures, 14 declaredFeatures[]:s
NodeSwapStatus: 1 capacity:l?
NodeSystemInfo: 1 machineID:s!, 2 systemUUID:s!, 3 bootID:s!, 4 kernelVersion:s!, 5 osImage:s!,
  6 containerRuntimeVersion:s!, 7 kubeletVersion:s!, 8 kubeProxyVersion:s!, 9 operatingSystem:s!,
  10 architecture:s!, 11 swap:NodeSwapStatus
ObjectReference: 1 kind:s, 2 namespace:s, 3 name:s, 4 uid:s, 5 apiVersion:s, 6 resourceVersion:s,
  7 fieldPath:s
PersistentVolumeClaim: 1 metadata:meta.ObjectMeta, 2 spec:PersistentVolumeClaimSpec!,
  3 status:PersistentVolumeClaimStatus!
PersistentVolumeClaimCondition: 1 type:s!, 2 status:s!, 3 lastProbeTime:Time!,
  4 lastTransitionTime:Time!, 5 reason:s, 6 message:s
PersistentVolumeClaimStatus: 1 phase:s, 2 accessModes[]:s, 3 capacity:{Quantity},
  4 conditions[]:PersistentVolumeClaimCondition, 5 allocatedResources:{Quantity},
  7 allocatedResourceStatuses:{s}, 8 currentVolumeAttributesClassName:s?,
  9 modifyVolumeStatus:ModifyVolumeStatus
PortStatus: 1 port:i!, 2 protocol:s!, 3 error:s?
PodTemplate: 1 metadata:meta.ObjectMeta, 2 template:PodTemplateSpec!
ReplicationController: 1 metadata:meta.ObjectMeta, 2 spec:ReplicationControllerSpec!,
  3 status:ReplicationControllerStatus!
ReplicationControllerCondition: 1 type:s!, 2 status:s!, 3 lastTransitionTime:Time!, 4 reason:s,
  5 message:s
ReplicationControllerSpec: 1 replicas:i?, 2 selector:{s}, 3 template:PodTemplateSpec,
  4 minReadySeconds:i
ReplicationControllerStatus: 1 replicas:i!, 2 fullyLabeledReplicas:i, 3 observedGeneration:l,
  4 readyReplicas:i, 5 availableReplicas:i, 6 conditions[]:ReplicationControllerCondition
ResourceQuota: 1 metadata:meta.ObjectMeta, 2 spec:ResourceQuotaSpec!,
  3 status:ResourceQuotaStatus!
ResourceQuotaSpec: 1 hard:{Quantity}, 2 scopes[]:s, 3 scopeSelector:ScopeSelector
ResourceQuotaStatus: 1 hard:{Quantity}, 2 used:{Quantity}
ScopeSelector: 1 matchExpressions[]:ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement: 1 scopeName:s!, 2 operator:s!, 3 values[]:s
Secret: 1 metadata:meta.ObjectMeta, 2 data:{y}, 3 type:s, 4 stringData:{s}, 5 immutable:b?
Service: 1 metadata:meta.ObjectMeta, 2 spec:ServiceSpec!, 3 status:ServiceStatus!
ServiceAccount: 1 metadata:meta.ObjectMeta, 2 secrets[]:ObjectReference,
  3 imagePullSecrets[]:LocalObjectReference, 4 automountServiceAccountToken:b?
ServicePort: 1 name:s, 2 protocol:s, 3 port:i!, 4 targetPort:IntOrString!, 5 nodePort:i,
  6 appProtocol:s?
ServiceSpec: 1 ports[]:ServicePort, 2 selector:{s}, 3 clusterIP:s, 4 type:s, 5 externalIPs[]:s,
  7 sessionAffinity:s, 8 loadBalancerIP:s, 9 loadBalancerSourceRanges[]:s, 10 externalName:s,
  11 externalTrafficPolicy:s, 12 healthCheckNodePort:i, 13 publishNotReadyAddresses:b,
  14 sessionAffinityConfig:SessionAffinityConfig, 17 ipFamilyPolicy:s?, 18 clusterIPs[]:s,
  19 ipFamilies[]:s, 20 allocateLoadBalancerNodePorts:b?, 21 loadBalancerClass:s?,
  22 internalTrafficPolicy:s?, 23 trafficDistribution:s?
ServiceStatus: 1 loadBalancer:LoadBalancerStatus!, 2 conditions[]:meta.Condition
SessionAffinityConfig: 1 clientIP:ClientIPConfig
Taint: 1 key:s!, 2 value:s, 3 effect:s!, 4 timeAdded:Time
)";

}  // namespace

std::string_view core_fields() { return kCoreFields; }

}  // namespace davit
