// The kinds of v1 but for Pod.
#include "lib/kube/schema/descriptions/descriptions.hpp"

namespace davit {

namespace {

constexpr std::string_view kCoreDescriptions = R"(
core.v1.Binding: Binds a pod to a node. Schedulers create it through the subresource binding of
    pods.
  target: Node that the pod is to run on.
core.v1.ComponentStatus: Deprecated. Health of a component of the control plane.
core.v1.ComponentCondition: Health of a component.
  error: Error code of the check.
core.v1.ConfigMap: Configuration as keys and values, for pods to read as files, variables or
    arguments. Not for secrets.
  binaryData: Values that are no UTF-8 text, in base64. A key may not be in data as well.
  data: Values that are UTF-8 text.
  immutable: If true, data and binaryData can never change again.
core.v1.Endpoints: Addresses and ports of a Service. Deprecated; EndpointSlice replaces it.
  subsets: Addresses with the ports that they have in common.
core.v1.EndpointSubset: Addresses that all have the same ports.
  addresses: Addresses that accept traffic.
  notReadyAddresses: Addresses that accept no traffic because they start, end or fail.
  ports: Ports that each address has.
core.v1.EndpointAddress: One address of an endpoint.
  hostname: Host name of the endpoint.
  ip: IP address, neither loopback nor link-local.
  nodeName: Node that the endpoint is on.
  targetRef: Object behind the address, usually a pod.
core.v1.EndpointPort: One port of an endpoint.
  appProtocol: Protocol of the application, such as kubernetes.io/h2c.
  name: Name of the port, as in the Service.
  port: Number of the port.
  protocol: TCP, UDP or SCTP. Default: TCP.
core.v1.Event: Report of something that happened to an object. Events are informative, and deleted
    after a time.
  action: What was done, in one CamelCase word.
  count: How often it happened.
  eventTime: When it was first seen.
  firstTimestamp: When it was first recorded.
  involvedObject: Object that the event is about.
  lastTimestamp: When it was last recorded.
  message: Text for people.
  reason: One CamelCase word, for programs, on what happened.
  related: A second object that took part.
  reportingComponent: Controller that reports it.
  reportingInstance: Instance of the controller, such as a pod's name.
  series: How a repeated event goes on.
  source: Component that reports it.
  type: Normal or Warning.
core.v1.EventSeries: Repetitions of an event.
  count: How often it happened so far.
  lastObservedTime: When it last happened.
core.v1.EventSource: Who reports an event.
  component: Name of the component.
  host: Node that it runs on.
core.v1.LimitRange: Limits and defaults for the resources of each pod, container or claim in a
    namespace.
core.v1.LimitRangeSpec: The limits of a LimitRange.
  limits: One item for each type of object.
core.v1.LimitRangeItem: Limits for one type of object.
  default: Limits of containers that state none.
  defaultRequest: Requests of containers that state none.
  max: Most that one object may use, by resource.
  maxLimitRequestRatio: How many times its request a limit may be, by resource.
  min: Least that one object has to ask for, by resource.
  type: Pod, Container or PersistentVolumeClaim.
core.v1.Namespace: A scope for names. Most objects are in one, and deleting it deletes them.
core.v1.NamespaceSpec: Desired state of a Namespace.
  finalizers: What must be finished before the Namespace is gone.
core.v1.NamespaceStatus: Observed state of a Namespace.
  phase: Active or Terminating.
core.v1.Node: A machine of the cluster that runs pods.
core.v1.NodeSpec: Desired state of a Node.
  configSource: Deprecated and without effect.
  externalID: Deprecated and unused.
  podCIDR: Range of addresses for the Node's pods.
  podCIDRs: Ranges of addresses for the Node's pods, at most one for each IP family.
  providerID: Identity of the machine at its cloud provider.
  taints: Marks that keep away, or drive away, pods without a matching toleration.
  unschedulable: Keeps new pods away. Set by kubectl cordon.
core.v1.NodeStatus: Observed state of a Node.
  addresses: How the Node can be reached.
  allocatable: Resources that pods may use.
  capacity: Resources that the Node has.
  config: Deprecated; state of the configuration that configSource named.
  daemonEndpoints: Ports of the daemons on the Node.
  declaredFeatures: Features that the kubelet says it has.
  features: Features of the container runtime.
  images: Container images on the Node.
  nodeInfo: Versions and identities of the machine and its software.
  phase: Deprecated and unused.
  runtimeHandlers: Handlers that the container runtime offers.
  volumesAttached: Volumes that are attached to the Node.
  volumesInUse: Attachable volumes that pods on the Node use.
core.v1.NodeCondition: One aspect of a Node's health, such as Ready or MemoryPressure.
core.v1.NodeAddress: One way to reach a Node.
  address: The address itself.
  type: Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.
core.v1.NodeSystemInfo: Versions and identities of a Node.
  architecture: Architecture of the processor, such as amd64.
  bootID: Identity that changes with each boot.
  containerRuntimeVersion: Container runtime with its version.
  kernelVersion: Version of the kernel.
  kubeProxyVersion: Deprecated; version of kube-proxy.
  kubeletVersion: Version of the kubelet.
  machineID: Identity of the machine, from /etc/machine-id.
  operatingSystem: linux or windows.
  osImage: Name of the distribution.
  swap: Swap space of the Node.
  systemUUID: Identity of the machine, from its firmware.
core.v1.Taint: Mark of a Node that only pods with a matching toleration get along with.
  effect: NoSchedule keeps new pods away, PreferNoSchedule does if possible, NoExecute also evicts
    those that run.
  key: Key of the taint.
  timeAdded: When the taint was added. Set for NoExecute.
  value: Value of the taint.
core.v1.ObjectReference: Refers to another object.
  apiVersion: Group and version of the object.
  fieldPath: Part of the object that is meant.
  kind: Kind of the object.
  name: Name of the object.
  namespace: Namespace of the object.
  resourceVersion: Version of the object that is meant.
  uid: UID of the object.
core.v1.PersistentVolume: A piece of storage in the cluster, independent of the pods that use it.
core.v1.PersistentVolumeClaim: A request for storage, which pods refer to by name.
core.v1.PersistentVolumeClaimSpec: The storage that is asked for.
  accessModes: How it is to be mounted: ReadWriteOnce, ReadOnlyMany, ReadWriteMany or
    ReadWriteOncePod.
  dataSource: Snapshot or claim that the volume starts with.
  dataSourceRef: Object of any kind that the volume starts with.
  resources: How much storage is needed at least.
  selector: Which volumes come into question.
  storageClassName: StorageClass that provides the volume. Absent: the default one.
  volumeAttributesClassName: Class of attributes, such as speed, that may change later.
  volumeMode: Filesystem or Block. Default: Filesystem.
  volumeName: Volume that the claim is bound to.
core.v1.PersistentVolumeClaimStatus: Observed state of a claim.
  accessModes: Access modes of the bound volume.
  allocatedResourceStatuses: How far a resize has come, by resource.
  allocatedResources: What the volume is being resized to, by resource.
  capacity: Size of the bound volume.
  currentVolumeAttributesClassName: Class of attributes that is in effect.
  modifyVolumeStatus: How far a change of the class has come.
  phase: Pending, Bound or Lost.
core.v1.PodTemplate: A template for pods, stored on its own.
  template: The pods to be made of it.
core.v1.ReplicationController: Predecessor of ReplicaSet. Use a Deployment instead.
core.v1.ReplicationControllerSpec: Desired state of a ReplicationController.
  minReadySeconds: Seconds that a new pod must be ready before it counts as available. Default: 0.
  replicas: How many pods to run. Default: 1.
  selector: Labels of the pods that belong to it. Default: those of the template.
  template: The pods to create when there are too few.
core.v1.ReplicationControllerStatus: Observed state of a ReplicationController.
  availableReplicas: Pods that have been ready for at least minReadySeconds.
  fullyLabeledReplicas: Pods that have all labels of the template.
  readyReplicas: Pods that are ready.
  replicas: Pods that exist.
core.v1.ResourceQuota: Limits on what all objects of a namespace use together.
core.v1.ResourceQuotaSpec: The limits of a ResourceQuota.
  hard: Limit for each resource, such as pods, requests.cpu or count/deployments.apps.
  scopeSelector: Which pods count, by scope and value.
  scopes: Which pods count. All scopes must fit.
core.v1.ResourceQuotaStatus: Observed use of a ResourceQuota.
  hard: Limits that are in force.
  used: What is in use, by resource.
core.v1.Secret: Passwords, tokens, keys and the like, for pods to read as files or variables.
  data: The values, in base64.
  immutable: If true, the values can never change again.
  stringData: Values as plain text, for writing only. They are merged into data.
  type: What the Secret is for, such as kubernetes.io/tls. Default: Opaque.
core.v1.Service: A stable name, address and ports for a changing set of pods.
core.v1.ServiceSpec: Desired state of a Service.
  allocateLoadBalancerNodePorts: Whether a Service of type LoadBalancer gets node ports. Default:
    true.
  clusterIP: Address within the cluster. None for a headless Service, empty for one that the server
    chooses.
  clusterIPs: Addresses within the cluster, at most one for each IP family. The first one equals
    clusterIP.
  externalIPs: Further addresses at which nodes accept traffic for the Service.
  externalName: DNS name that the Service stands for. Only for type ExternalName.
  externalTrafficPolicy: Cluster spreads traffic from outside over all endpoints, Local only over
    those of the node it arrives at.
  healthCheckNodePort: Node port for health checks of a load balancer with externalTrafficPolicy
    Local.
  internalTrafficPolicy: Cluster spreads traffic from within over all endpoints, Local only over
    those of the same node. Default: Cluster.
  ipFamilies: IP families of the Service: IPv4, IPv6 or both.
  ipFamilyPolicy: SingleStack, PreferDualStack or RequireDualStack.
  loadBalancerClass: Implementation of the load balancer. Absent: the cluster's default.
  loadBalancerIP: Deprecated; address that the load balancer should have.
  loadBalancerSourceRanges: Ranges of clients that the load balancer lets in.
  ports: Ports of the Service.
  publishNotReadyAddresses: Whether pods that are not ready count as endpoints, too.
  selector: Labels of the pods behind the Service. Empty: somebody else maintains the endpoints.
  sessionAffinity: ClientIP leads a client to the same pod each time, None does not. Default: None.
  sessionAffinityConfig: Settings of the session affinity.
  trafficDistribution: Which endpoints to prefer, such as PreferClose.
  type: ClusterIP, NodePort, LoadBalancer or ExternalName. Default: ClusterIP.
core.v1.ServicePort: One port of a Service.
  appProtocol: Protocol of the application, such as kubernetes.io/h2c.
  name: Name of the port. Needed if there is more than one.
  nodePort: Port on every node, for types NodePort and LoadBalancer. Chosen by the server if absent.
  port: Port of the Service.
  protocol: TCP, UDP or SCTP. Default: TCP.
  targetPort: Number or name of the port of the pods. Default: port.
core.v1.ServiceStatus: Observed state of a Service.
  loadBalancer: Where the load balancer can be reached.
core.v1.LoadBalancerStatus: State of a load balancer.
  ingress: Points at which traffic enters.
core.v1.LoadBalancerIngress: A point at which a load balancer takes traffic.
  hostname: Its DNS name.
  ip: Its IP address.
  ipMode: VIP if traffic arrives with the address of the load balancer, Proxy if with that of a node
    or pod.
  ports: State of its ports.
core.v1.SessionAffinityConfig: Settings of session affinity.
  clientIP: Settings for affinity ClientIP.
core.v1.ClientIPConfig: Settings for affinity ClientIP.
  timeoutSeconds: Seconds for which a client stays with its pod. Default: 10800.
core.v1.ServiceAccount: An identity for programs, which pods run as.
  automountServiceAccountToken: Whether pods get a token mounted, unless they say otherwise.
  imagePullSecrets: Secrets for pulling images that pods get by default.
  secrets: Secrets that pods of this account may use.
core.v1.AttachedVolume: A volume that is attached to a Node.
  devicePath: Path of the device on the Node.
  name: Name of the volume.
core.v1.ConfigMapNodeConfigSource: Deprecated. ConfigMap with the configuration of a kubelet.
  kubeletConfigKey: Key with the configuration.
  name: Name of the ConfigMap.
  namespace: Namespace of the ConfigMap.
  resourceVersion: Version of the ConfigMap. Only in the status.
  uid: UID of the ConfigMap. Only in the status.
core.v1.ContainerImage: A container image on a Node.
  names: Names of the image, with tags or digests.
  sizeBytes: Size of the image in bytes.
core.v1.DaemonEndpoint: Port of a daemon on a Node.
  Port: Number of the port.
core.v1.NamespaceCondition: One aspect of the deletion of a Namespace, such as
    NamespaceContentRemaining.
core.v1.NodeConfigSource: Deprecated. Where the configuration of a kubelet comes from.
  configMap: The ConfigMap.
core.v1.NodeConfigStatus: Deprecated. State of the configuration of a kubelet.
  active: Configuration that is in use.
  assigned: Configuration that the kubelet is to use.
  error: Text for people on problems with the assigned configuration.
  lastKnownGood: Configuration that the kubelet falls back to.
core.v1.NodeDaemonEndpoints: Ports of the daemons on a Node.
  kubeletEndpoint: Port of the kubelet.
core.v1.NodeFeatures: Features of a Node's container runtime.
  supplementalGroupsPolicy: Whether the runtime supports supplementalGroupsPolicy and reports users
    of containers.
core.v1.NodeRuntimeHandler: A handler that the container runtime offers.
  features: Features of the handler.
  name: Name of the handler. Empty: the default one.
core.v1.NodeRuntimeHandlerFeatures: Features of a handler.
  recursiveReadOnlyMounts: Whether it supports recursive read-only mounts.
  userNamespaces: Whether it supports user namespaces.
core.v1.NodeSwapStatus: Swap space of a Node.
  capacity: Size of the swap space in bytes.
core.v1.PortStatus networking.v1.IngressPortStatus: State of a port of a load balancer.
  error: CamelCase word on a problem with the port. Names of providers have a prefix, such as
    example.com/Name.
  port: Number of the port.
  protocol: TCP, UDP or SCTP.
core.v1.ReplicationControllerCondition: One aspect of the state of a ReplicationController, such as
    ReplicaFailure.
core.v1.ScopeSelector: Selects pods by scopes. All requirements must hold.
  matchExpressions: Requirements on scopes.
core.v1.ScopedResourceSelectorRequirement: A scope, an operator and the values that it is compared
    with.
  operator: In, NotIn, Exists or DoesNotExist. Scopes other than PriorityClass and
    VolumeAttributesClass need Exists.
  scopeName: Terminating, NotTerminating, BestEffort, NotBestEffort, PriorityClass,
    CrossNamespacePodAffinity or VolumeAttributesClass.
  values: Values for In and NotIn, at least one. Empty for Exists and DoesNotExist.
)";

}  // namespace

std::string_view core_descriptions() { return kCoreDescriptions; }

}  // namespace davit
