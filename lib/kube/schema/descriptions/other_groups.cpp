// The remaining groups.
#include "lib/kube/schema/descriptions/descriptions.hpp"

namespace davit {

namespace {

constexpr std::string_view kOtherGroupsDescriptions = R"(
autoscaling.v1.Scale: The number of replicas of an object, as the subresource scale shows it.
autoscaling.v1.ScaleSpec: Desired scale.
  replicas: How many pods to run.
autoscaling.v1.ScaleStatus: Observed scale.
  replicas: How many pods there are.
  selector: Which pods count, as the text of a label selector.
autoscaling.v1.CrossVersionObjectReference: Names an object without its namespace.
  apiVersion: Group and version of the object.
  kind: Kind of the object.
  name: Name of the object.
autoscaling.v1.HorizontalPodAutoscaler: Adapts the number of pods of an object to their use of CPU.
autoscaling.v1.HorizontalPodAutoscalerSpec: Desired behaviour of an autoscaler.
  maxReplicas: Most pods to run.
  minReplicas: Fewest pods to run. Default: 1.
  scaleTargetRef: Object to scale.
  targetCPUUtilizationPercentage: Average use of CPU to aim at, in percent of the request. Default:
    80.
autoscaling.v1.HorizontalPodAutoscalerStatus: Observed state of an autoscaler.
  currentCPUUtilizationPercentage: Average use of CPU, in percent of the request.
  currentReplicas: Pods at the last look.
  desiredReplicas: Pods that the metric asks for.
  lastScaleTime: When the number was last changed.
autoscaling.v2.HorizontalPodAutoscaler: Adapts the number of pods of an object to metrics.
autoscaling.v2.HorizontalPodAutoscalerSpec: Desired behaviour of an autoscaler.
  behavior: How fast to scale up and down.
  maxReplicas: Most pods to run.
  metrics: Metrics and their targets. The one that asks for most pods decides. Default: 80% of the
    requested CPU.
  minReplicas: Fewest pods to run. Default: 1.
  scaleTargetRef: Object to scale.
autoscaling.v2.HorizontalPodAutoscalerStatus: Observed state of an autoscaler.
  currentMetrics: Last values of the metrics.
  currentReplicas: Pods at the last look.
  desiredReplicas: Pods that the metrics ask for.
  lastScaleTime: When the number was last changed.
autoscaling.v2.CrossVersionObjectReference: Names an object without its namespace.
  apiVersion: Group and version of the object.
  kind: Kind of the object.
  name: Name of the object.
autoscaling.v2.ContainerResourceMetricSource: A resource that one container of each pod uses, with
    its target.
autoscaling.v2.ContainerResourceMetricStatus: Last value of a resource that one container of each
    pod uses.
autoscaling.v2.ContainerResourceMetricSource autoscaling.v2.ContainerResourceMetricStatus:
  container: Name of the container.
autoscaling.v2.ExternalMetricSource: A metric from outside the cluster, with its target.
autoscaling.v2.ExternalMetricStatus: Last value of a metric from outside the cluster.
autoscaling.v2.HPAScalingPolicy: A limit on how fast to scale.
  periodSeconds: Seconds that the limit is for, from 1 to 1800.
  type: Unit of the value: Pods or Percent.
  value: Largest change in the period, above 0.
autoscaling.v2.HPAScalingRules: How fast to scale in one direction.
  policies: Limits on how fast to scale. Default: 100% in 15 seconds, for scaling up also 4 pods.
  selectPolicy: Max takes the policy that allows the largest change, Min the smallest, Disabled
    forbids any. Default: Max.
  stabilizationWindowSeconds: Seconds, up to 3600, over which earlier recommendations are
    considered, to avoid swinging. Default: 0 for scaling up, 300 for scaling down.
  tolerance: How far, as a fraction, the metric may be off its target before a change. Default: that
    of the cluster, 0.1.
autoscaling.v2.HorizontalPodAutoscalerBehavior: How fast to scale up and down.
  scaleDown: Rules for fewer pods.
  scaleUp: Rules for more pods.
autoscaling.v2.HorizontalPodAutoscalerCondition: One aspect of the state of an autoscaler, such as
    AbleToScale or ScalingActive.
autoscaling.v2.MetricIdentifier: Names a metric.
  name: Name of the metric.
  selector: Labels of the metric. Absent: the name alone decides.
autoscaling.v2.MetricSpec: A metric with its target. The member that type names is set.
autoscaling.v2.MetricStatus: Last value of a metric. The member that type names is set.
autoscaling.v2.MetricSpec autoscaling.v2.MetricStatus:
  containerResource: A resource that one container of each pod uses.
  external: A metric from outside the cluster.
  object: A metric of one object.
  pods: A metric of each pod, averaged over the pods.
  resource: A resource that each pod uses.
  type: ContainerResource, External, Object, Pods or Resource.
autoscaling.v2.MetricTarget: Target of a metric.
  averageUtilization: Target of the average over the pods, in percent of the request. Only for
    resources.
  averageValue: Target of the average over the pods.
  type: Utilization, Value or AverageValue.
  value: Target of the whole metric.
autoscaling.v2.MetricValueStatus: Value of a metric.
  averageUtilization: Average over the pods, in percent of the request. Only for resources.
  averageValue: Average over the pods.
  value: The whole metric.
autoscaling.v2.ObjectMetricSource: A metric of one object, with its target.
autoscaling.v2.ObjectMetricStatus: Last value of a metric of one object.
autoscaling.v2.ObjectMetricSource autoscaling.v2.ObjectMetricStatus:
  describedObject: Object that the metric is about.
autoscaling.v2.PodsMetricSource: A metric of each pod, with its target.
autoscaling.v2.PodsMetricStatus: Last value of a metric of each pod.
autoscaling.v2.ResourceMetricSource: A resource that each pod uses, with its target.
autoscaling.v2.ResourceMetricStatus: Last value of a resource that each pod uses.
autoscaling.v2.ContainerResourceMetricSource autoscaling.v2.ContainerResourceMetricStatus
    autoscaling.v2.ResourceMetricSource autoscaling.v2.ResourceMetricStatus:
  name: Name of the resource, such as cpu.
autoscaling.v2.ExternalMetricSource autoscaling.v2.ExternalMetricStatus
    autoscaling.v2.ObjectMetricSource autoscaling.v2.ObjectMetricStatus
    autoscaling.v2.PodsMetricSource autoscaling.v2.PodsMetricStatus:
  metric: Name and labels of the metric.
autoscaling.v2.ContainerResourceMetricSource autoscaling.v2.ExternalMetricSource
    autoscaling.v2.ObjectMetricSource autoscaling.v2.PodsMetricSource
    autoscaling.v2.ResourceMetricSource:
  target: Target of the metric.
autoscaling.v2.ContainerResourceMetricStatus autoscaling.v2.ExternalMetricStatus
    autoscaling.v2.ObjectMetricStatus autoscaling.v2.PodsMetricStatus
    autoscaling.v2.ResourceMetricStatus:
  current: Last value of the metric.
coordination.v1.Lease: A lock with an expiry. Nodes show with it that they live, and leaders that
    they lead.
coordination.v1.LeaseSpec: Who holds a Lease, and since when.
  acquireTime: When the holder took it.
  holderIdentity: Who holds it. Empty: nobody.
  leaseDurationSeconds: Seconds after renewTime at which others may take it.
  leaseTransitions: How often the holder changed.
  preferredHolder: Who should hold it next. Only with strategy.
  renewTime: When the holder last renewed it.
  strategy: How the next holder is chosen. Only with coordinated leader election.
discovery.v1.EndpointSlice: A part of the endpoints of a Service.
  addressType: IPv4, IPv6 or FQDN. It cannot change.
  endpoints: The endpoints, at most 1000.
  ports: Ports that each endpoint has, at most 100.
discovery.v1.Endpoint: One endpoint of a Service.
  addresses: Its addresses. Use the first one.
  conditions: Whether it takes traffic.
  deprecatedTopology: Deprecated and not written any more.
  hints: Who should use it.
  hostname: Its host name.
  nodeName: Node that it is on.
  targetRef: Object behind it, usually a pod.
  zone: Zone that it is in.
discovery.v1.EndpointConditions: Whether an endpoint takes traffic.
  ready: Whether to send it traffic. False while it terminates.
  serving: Whether it can serve, also while it terminates.
  terminating: Whether it is ending.
discovery.v1.EndpointPort: One port of a slice.
  appProtocol: Protocol of the application, such as kubernetes.io/h2c.
  name: Name of the port, as in the Service.
  port: Number of the port.
  protocol: TCP, UDP or SCTP. Default: TCP.
discovery.v1.EndpointHints: Who should use an endpoint.
  forNodes: Nodes that should use it, at most 8.
  forZones: Zones that should use it, at most 8.
discovery.v1.ForNode: A Node that should use an endpoint.
  name: Name of the Node.
discovery.v1.ForZone: A zone that should use an endpoint.
  name: Name of the zone.
events.v1.Event: Report of something that happened to an object. Events are informative, and deleted
    after a time.
  action: What was done, in one CamelCase word.
  eventTime: When it was first seen.
  note: Text for people.
  reason: One CamelCase word, for programs, on what happened.
  regarding: Object that the event is about.
  related: A second object that took part.
  reportingController: Controller that reports it.
  reportingInstance: Instance of the controller, such as a pod's name.
  series: How a repeated event goes on.
  type: Normal or Warning.
  deprecatedCount: How often it happened. For v1 Events.
  deprecatedFirstTimestamp: When it was first recorded. For v1 Events.
  deprecatedLastTimestamp: When it was last recorded. For v1 Events.
  deprecatedSource: Component that reports it. For v1 Events.
events.v1.EventSeries: Repetitions of an event.
  count: How often it happened so far.
  lastObservedTime: When it last happened.
flowcontrol.v1.FlowSchema: Sorts requests into flows and gives them a priority level.
flowcontrol.v1.Subject: Whose requests a rule matches.
  group: The group. Only for kind Group.
  kind: User, Group or ServiceAccount.
  serviceAccount: The ServiceAccount. Only for kind ServiceAccount.
  user: The user. Only for kind User.
flowcontrol.v1.PriorityLevelConfiguration: A priority level and its share of the server's capacity.
flowcontrol.v1.FlowSchemaCondition: One aspect of the state of a FlowSchema, such as Dangling.
flowcontrol.v1.FlowSchemaSpec: The requests of a FlowSchema and their priority level.
  distinguisherMethod: How requests are divided into flows. Absent: all are one flow.
  matchingPrecedence: Location in the order of FlowSchemas, from 1 to 10000. The lowest that matches
    decides. Default: 1000.
  priorityLevelConfiguration: Priority level of the requests.
  rules: Requests to match. One rule that matches is enough; without rules, none match.
flowcontrol.v1.FlowSchemaStatus: Observed state of a FlowSchema.
flowcontrol.v1.FlowDistinguisherMethod: How requests are divided into flows.
  type: ByUser or ByNamespace.
flowcontrol.v1.PolicyRulesWithSubjects: Requests, by user and by what they do. A subject and a rule
    must match.
  nonResourceRules: Paths that are not resources. At least one rule of either kind is needed.
  resourceRules: Resources. At least one rule of either kind is needed.
  subjects: Whose requests these are. One that matches is enough.
flowcontrol.v1.NonResourcePolicyRule: Verbs on paths that are not resources.
  nonResourceURLs: Paths, such as /healthz or /apis/*. * are all.
  verbs: Verbs, such as get. * is everything.
flowcontrol.v1.ResourcePolicyRule: Verbs on resources.
  apiGroups: API groups of the resources. "" is the core group, * are all.
  clusterScope: Whether requests without a namespace match. Default: false.
  namespaces: Namespaces of the requests. * are all.
  resources: Resources such as pods or pods/log. * are all.
  verbs: Verbs, such as get, list or create. * is everything.
flowcontrol.v1.GroupSubject: A group of users.
  name: Name of the group. * are all.
flowcontrol.v1.ServiceAccountSubject: A ServiceAccount.
  name: Name of the ServiceAccount. * are all.
  namespace: Namespace of the ServiceAccount.
flowcontrol.v1.UserSubject: A user.
  name: Name of the user. * are all.
flowcontrol.v1.PriorityLevelConfigurationCondition: One aspect of the state of a priority level.
flowcontrol.v1.PriorityLevelConfigurationReference: Names a priority level.
  name: Name of the PriorityLevelConfiguration.
flowcontrol.v1.PriorityLevelConfigurationSpec: Limits of a priority level.
  exempt: Settings of a level without limits. Only for type Exempt.
  limited: Settings of a level with limits. Required for type Limited.
  type: Exempt serves requests at once, Limited within the level's share.
flowcontrol.v1.PriorityLevelConfigurationStatus: Observed state of a priority level.
flowcontrol.v1.ExemptPriorityLevelConfiguration: Settings of a priority level without limits.
  lendablePercent: Part of its share, in percent, that other levels may borrow. Default: 0.
  nominalConcurrencyShares: Share of the server's capacity that is set aside for the level. Default:
    0.
flowcontrol.v1.LimitedPriorityLevelConfiguration: Settings of a priority level with limits.
  borrowingLimitPercent: Most that the level may borrow from others, in percent of its own share.
    Absent: no limit.
  lendablePercent: Part of its share, in percent, that other levels may borrow. Default: 0.
  limitResponse: What happens to requests beyond the limit.
  nominalConcurrencyShares: Share of the server's capacity, relative to those of the other levels.
    Default: 30.
flowcontrol.v1.LimitResponse: What happens to requests beyond the limit.
  queuing: Settings of the queues. Only for type Queue.
  type: Queue makes them wait, Reject refuses them with 429.
flowcontrol.v1.QueuingConfiguration: Queues of a priority level.
  handSize: How many queues one flow may use. More help a flow, fewer protect the others. Default:
    8.
  queueLengthLimit: Most requests that wait in one queue. Default: 50.
  queues: Number of queues. 1 means no separation of flows. Default: 64.
networking.v1.Ingress: Routes HTTP traffic from outside to Services, by host and path.
networking.v1.IngressSpec: Desired routes.
  defaultBackend: Where requests go that no rule matches.
  ingressClassName: IngressClass whose controller serves this.
  rules: Routes by host.
  tls: Certificates by host.
networking.v1.IngressRule: Routes of one host.
  host: Host of the rule; *.example.com fits one label. Empty: every host.
networking.v1.HTTPIngressPath: Where requests to a path go.
  backend: Where they go.
  path: Path of the URL, which begins with /.
  pathType: Exact, Prefix or ImplementationSpecific.
networking.v1.IngressBackend: Where requests go. One member is set.
  resource: An object of the namespace.
  service: A Service with its port.
networking.v1.IngressTLS: A certificate and its hosts.
  hosts: Hosts that the certificate is for.
  secretName: Secret with the certificate and its key.
networking.v1.IngressStatus: Observed state of an Ingress.
  loadBalancer: Where it can be reached.
networking.v1.IngressClass: A controller for Ingresses.
networking.v1.IPAddress: An address in use by a Service.
networking.v1.ServiceCIDR: A range of addresses for Services.
networking.v1.NetworkPolicy: Says which traffic pods may receive and send.
networking.v1.NetworkPolicySpec: The traffic that is allowed.
  egress: Traffic that the pods may send. Each rule adds to what is allowed.
  ingress: Traffic that the pods may receive. Each rule adds to what is allowed.
  podSelector: Pods that the policy is for. Empty: all of the namespace.
  policyTypes: Ingress, Egress or both: which traffic the policy restricts.
networking.v1.NetworkPolicyIngressRule: Traffic that may be received. Both members must fit.
  from: Who may send it. Empty: everybody.
  ports: Ports that may be reached. Empty: all.
networking.v1.NetworkPolicyEgressRule: Traffic that may be sent. Both members must fit.
  ports: Ports that may be reached. Empty: all.
  to: Who may be reached. Empty: everybody.
networking.v1.HTTPIngressRuleValue: Paths of a host.
  paths: The paths, each with the backend that serves it.
networking.v1.IngressLoadBalancerIngress: A point at which an Ingress takes traffic.
  hostname: Its DNS name.
  ip: Its IP address.
  ports: State of its ports.
networking.v1.IngressLoadBalancerStatus: Where an Ingress can be reached.
  ingress: Points at which traffic enters.
networking.v1.IngressRuleValue: Routes of a rule.
  http: Paths of the host.
networking.v1.IngressServiceBackend: A Service with its port.
  name: Name of the Service, in the namespace of the Ingress.
  port: Port of the Service.
networking.v1.ServiceBackendPort: A port of a Service. Either name or number is set.
  name: Name of the port.
  number: Number of the port.
networking.v1.IPAddressSpec: What an IP address is used for.
  parentRef: Object that uses the address. Required.
networking.v1.ParentReference: Names an object.
  group: API group of the object. "" is the core group.
  name: Name of the object.
  namespace: Namespace of the object.
  resource: Resource of the object, such as services.
networking.v1.ServiceCIDRSpec: Ranges of addresses for Services.
  cidrs: The ranges in CIDR notation, at most one for each IP family.
networking.v1.ServiceCIDRStatus: Observed state of a ServiceCIDR.
networking.v1.IPBlock: A range of addresses.
  cidr: The range, such as 192.0.2.0/24.
  except: Ranges within it that are left out.
networking.v1.IngressClassSpec: Who serves the Ingresses of a class.
  controller: Name of the controller, such as example.com/ingress. It cannot change.
  parameters: Object with further settings for the controller.
networking.v1.IngressClassParametersReference: Object with settings for a controller.
  apiGroup: API group of the object. Absent: the core group.
  kind: Kind of the object.
  name: Name of the object.
  namespace: Namespace of the object. Only for scope Namespace, and required there.
  scope: Namespace or Cluster. Default: Cluster.
networking.v1.NetworkPolicyPeer: The other side of allowed traffic. Either ipBlock, or one or both
    selectors are set.
  ipBlock: Range of addresses.
  namespaceSelector: Labels of namespaces. Empty: every namespace; absent: that of the policy.
  podSelector: Labels of pods. Empty or absent: every pod of the namespaces.
networking.v1.NetworkPolicyPort: A port of allowed traffic.
  endPort: Last port of a range that begins with port, which must then be a number.
  port: Number or name of the port. Absent: every port.
  protocol: TCP, UDP or SCTP. Default: TCP.
node.v1.RuntimeClass: A way in which containers run, which pods choose by name.
  handler: Name of the handler at the container runtime.
  overhead: Resources that a pod of this class needs beside its containers'.
  scheduling: Nodes that support the class.
node.v1.Overhead: Resources for running a pod.
  podFixed: What each pod needs beside its containers, by resource.
node.v1.Scheduling: Nodes that support a RuntimeClass.
  nodeSelector: Labels that the nodes have. They are added to those of the pod.
  tolerations: Tolerations that are added to those of the pod.
policy.v1.Eviction: Asks for the removal of a pod that PodDisruptionBudgets may refuse.
  deleteOptions: Options of the delete.
policy.v1.PodDisruptionBudget: Limits how many pods may be evicted at once.
policy.v1.PodDisruptionBudgetSpec: Desired limit of disruptions.
  maxUnavailable: How many pods, as a number or percentage, may be unavailable. Not together with
    minAvailable.
  minAvailable: How many pods, as a number or percentage, must stay available.
  selector: Pods that the budget is for. Empty: all of the namespace.
  unhealthyPodEvictionPolicy: Whether pods that are not ready may always be evicted: IfHealthyBudget
    or AlwaysAllow.
policy.v1.PodDisruptionBudgetStatus: Observed state of a budget.
  currentHealthy: Pods that are healthy.
  desiredHealthy: Pods that have to be healthy.
  disruptedPods: Pods whose eviction is under way, with its time.
  disruptionsAllowed: How many pods may be evicted now.
  expectedPods: Pods that the budget counts.
scheduling.v1.PriorityClass: A priority that pods choose by name.
  description: Text for people on when to use the class.
  globalDefault: Whether pods without a class get this one. At most one class may say so.
  preemptionPolicy: PreemptLowerPriority or Never. Default: PreemptLowerPriority.
  value: The priority. Higher comes first.
storage.v1.CSIDriver: A CSI driver and what it can do.
storage.v1.CSINode: The CSI drivers of a node.
storage.v1.CSIStorageCapacity: Storage that a driver can still provide in a part of the cluster.
  capacity: How much is left.
  maximumVolumeSize: Size of the largest volume.
  nodeTopology: Nodes that reach the storage.
  storageClassName: StorageClass that this is about.
storage.v1.StorageClass: A kind of storage that claims can ask for.
  allowVolumeExpansion: Whether volumes can grow.
  allowedTopologies: Where volumes may be made.
  mountOptions: Options that volumes are mounted with.
  parameters: Settings for the provisioner.
  provisioner: Who makes the volumes.
  reclaimPolicy: What happens to a volume whose claim is gone: Delete or Retain. Default: Delete.
  volumeBindingMode: Immediate, or WaitForFirstConsumer to choose a volume once the pod's node is
    known. Default: Immediate.
storage.v1.VolumeAttachment: Asks for a volume to be attached to a node.
storage.v1.VolumeAttributesClass: A class of attributes, such as speed, that a claim may change.
  driverName: CSI driver that the class is for.
  parameters: The attributes.
storage.v1.CSIDriverSpec: What a CSI driver can do.
  attachRequired: Whether volumes must be attached to a node before they are mounted. It cannot
    change. Default: true.
  fsGroupPolicy: Whether the owner of files follows a Pod's fsGroup: ReadWriteOnceWithFSType, File
    or None. Default: ReadWriteOnceWithFSType.
  nodeAllocatableUpdatePeriodSeconds: Seconds, at least 10, between updates of the number of volumes
    that a node can take. Absent: no updates.
  podInfoOnMount: Whether the driver gets data on the Pod with each mount. Default: false.
  preventPodSchedulingIfMissing: Whether pods with volumes of the driver keep away from nodes
    without it. Default: false.
  requiresRepublish: Whether the driver is called again from time to time for mounted volumes.
    Default: false.
  seLinuxMount: Whether volumes can be mounted with an SELinux label. Default: false.
  serviceAccountTokenInSecrets: Whether the driver gets tokens as secrets, not as attributes of the
    volume. Only with tokenRequests. Default: false.
  storageCapacity: Whether the scheduler heeds the CSIStorageCapacity objects of the driver.
    Default: false.
  tokenRequests: Tokens of the Pod's ServiceAccount that the driver gets with each mount.
  volumeLifecycleModes: Kinds of volumes that the driver has: Persistent, Ephemeral or both. It
    cannot change. Default: Persistent.
storage.v1.CSINodeSpec: The CSI drivers of a node.
  drivers: The drivers. Each name occurs once.
storage.v1.CSINodeDriver: A CSI driver on a node.
  allocatable: How many volumes the node can take.
  name: Name of the driver.
  nodeID: Name of the node in the driver's own terms.
  topologyKeys: Node labels by which the driver tells where volumes can be used.
storage.v1.TokenRequest: A token for a CSI driver.
  audience: Recipient that the token is meant for. Empty: the API server.
  expirationSeconds: Lifetime of the token in seconds. Default: 3600.
storage.v1.VolumeAttachmentSpec: The volume, the node and the driver that attaches. It cannot
    change.
  attacher: CSI driver that attaches the volume.
  nodeName: Node that the volume is attached to.
  source: Volume to attach.
storage.v1.VolumeAttachmentSource: A volume to attach. Exactly one member is set.
  inlineVolumeSpec: Volume of a Pod in the form of a PersistentVolume. Only for migration to CSI.
  persistentVolumeName: Name of a PersistentVolume.
storage.v1.VolumeAttachmentStatus: Observed state of an attachment.
  attachError: Last error of attaching.
  attached: Whether the volume is attached.
  attachmentMetadata: Data of the driver that mounting needs.
  detachError: Last error of detaching.
storage.v1.VolumeError: An error of attaching or detaching.
  errorCode: gRPC code of the error, if there is one.
  message: Text for people. It must not contain secrets.
  time: When the error occurred.
storage.v1.VolumeNodeResources: How many volumes of a driver a node can take.
  count: Number of volumes. Absent: no limit.
)";

}  // namespace

std::string_view other_groups_descriptions() { return kOtherGroupsDescriptions; }

}  // namespace davit
