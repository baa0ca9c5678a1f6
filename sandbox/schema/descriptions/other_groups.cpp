// All other groups.
#include "sandbox/schema/descriptions/descriptions.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kOtherGroupsDescriptions = R"(
admissionregistration.v1.MutatingAdmissionPolicy: Changes objects on their way into storage by CEL
    expressions.
admissionregistration.v1.MutatingAdmissionPolicyBinding: Puts a MutatingAdmissionPolicy into force
    for selected resources.
admissionregistration.v1.MutatingWebhookConfiguration: Webhooks that may change objects on their way
    into storage.
  webhooks: The webhooks and the requests that they are called for.
admissionregistration.v1.ValidatingAdmissionPolicy: Accepts or refuses objects by CEL expressions.
admissionregistration.v1.ValidatingAdmissionPolicyBinding: Puts a ValidatingAdmissionPolicy into
    force for selected resources.
admissionregistration.v1.ValidatingWebhookConfiguration: Webhooks that accept or refuse objects on
    their way into storage.
  webhooks: The webhooks and the requests that they are called for.
apiextensions.v1.CustomResourceDefinition: Adds a kind of its own to the API.
apiextensions.v1.CustomResourceDefinitionSpec: The kind that a definition adds.
  conversion: How objects are converted between versions.
  group: API group of the kind. The definition's name is PLURAL.GROUP.
  names: Names of the kind and of its resource.
  preserveUnknownFields: Deprecated; must be false. Set x-kubernetes-preserve-unknown-fields in the
    schema instead.
  scope: Namespaced or Cluster.
  versions: Versions of the kind, each with its schema. Exactly one is stored.
apiextensions.v1.CustomResourceDefinitionNames: Names of a kind and of its resource.
  categories: Groups of resources that it belongs to, such as all.
  kind: Name of the kind in CamelCase.
  listKind: Kind of a list of objects. Default: the kind with List behind it.
  plural: Name of the resource in URLs, in lower case.
  shortNames: Short forms for the command line.
  singular: Singular of the resource, in lower case. Default: the kind in lower case.
apiregistration.v1.APIService: Tells the API server who serves an API group and version.
authentication.v1.BoundObjectReference: Object that a token is bound to.
authentication.v1.SelfSubjectReview: Reports who the server takes the caller for.
authentication.v1.TokenRequest: Asks for a token of a ServiceAccount.
authentication.v1.TokenReview: Asks whether a token is valid, and whose it is.
authorization.v1.LocalSubjectAccessReview: Asks whether a user may do something in one namespace.
authorization.v1.SelfSubjectAccessReview: Asks whether the caller may do something.
authorization.v1.SelfSubjectRulesReview: Asks for everything that the caller may do in a namespace.
authorization.v1.SubjectAccessReview: Asks whether a user may do something.
autoscaling.v1.Scale: The number of replicas of an object, as the subresource scale shows it.
autoscaling.v1.ScaleSpec: Desired scale.
  replicas: How many pods to run.
autoscaling.v1.ScaleStatus: Observed scale.
  replicas: How many pods there are.
  selector: Which pods count, as the text of a label selector.
autoscaling.v1.CrossVersionObjectReference: Names an object without its namespace.
autoscaling.v1.HorizontalPodAutoscaler: Adapts the number of pods of an object to their use of CPU.
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
certificates.v1.CertificateSigningRequest: Asks a signer for an X.509 certificate.
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
flowcontrol.v1.FlowSchema: Sorts requests into flows and gives them a priority level.
flowcontrol.v1.Subject: Whose requests a rule matches.
flowcontrol.v1.PriorityLevelConfiguration: A priority level and its share of the server's capacity.
networking.v1.Ingress: Routes HTTP traffic from outside to Services, by host and path.
networking.v1.IngressSpec: Desired routes.
  defaultBackend: Where requests go that no rule matches.
  ingressClassName: IngressClass whose controller serves this.
  rules: Routes by host.
  tls: Certificates by host.
networking.v1.IngressRule: Routes of one host.
  host: Host of the rule; *.example.com fits one label. Empty: every host.
  http: Paths of the host.
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
node.v1.RuntimeClass: A way in which containers run, which pods choose by name.
  handler: Name of the handler at the container runtime.
  overhead: Resources that a pod of this class needs beside its containers'.
  scheduling: Nodes that support the class.
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
rbac.v1.ClusterRole: Rights that a binding gives in a namespace or in the whole cluster.
  aggregationRule: Selects ClusterRoles whose rules are copied into this one.
  rules: The rights.
rbac.v1.ClusterRoleBinding: Gives the rights of a ClusterRole in the whole cluster.
  roleRef: The ClusterRole. It cannot change.
  subjects: Users, groups and ServiceAccounts that get them.
rbac.v1.Role: Rights in one namespace.
  rules: The rights.
rbac.v1.RoleBinding: Gives the rights of a Role or ClusterRole in one namespace.
  roleRef: The Role or ClusterRole. It cannot change.
  subjects: Users, groups and ServiceAccounts that get them.
rbac.v1.PolicyRule: Verbs on resources.
  apiGroups: API groups of the resources. "" is the core group, * are all.
  nonResourceURLs: Paths beside resources, such as /healthz. Only in ClusterRoles.
  resourceNames: Names of objects. Empty: all.
  resources: Resources such as pods or pods/log. * are all.
  verbs: What may be done, such as get, list or create. * is everything.
rbac.v1.RoleRef: Names the role of a binding.
  apiGroup: API group of the role.
  kind: Role or ClusterRole.
  name: Name of the role.
rbac.v1.Subject: Who gets rights.
  apiGroup: API group of the subject. "" for ServiceAccounts.
  kind: User, Group or ServiceAccount.
  name: Name of the subject.
  namespace: Namespace of a ServiceAccount.
resource.v1.DeviceClass: A class of devices that claims can ask for.
resource.v1.ResourceClaim: A request for devices, which pods refer to.
resource.v1.ResourceClaimTemplate: A template for claims that pods get for themselves.
resource.v1.ResourceSlice: Devices that a driver offers on a node or a group of nodes.
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
)";

}  // namespace

std::string_view other_groups_descriptions() { return kOtherGroupsDescriptions; }

}  // namespace davit::sandbox
