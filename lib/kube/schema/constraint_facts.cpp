// Written by hand: only upstream's Go code has these facts (pkg/apis/*/validation of v1.36).
#include "lib/kube/schema/constraints.hpp"

namespace davit {

namespace {

constexpr std::string_view kConstraintFacts = R"(
apps.v1.DeploymentSpec
  replicas minReadySeconds revisionHistoryLimit progressDeadlineSeconds: 0..
  selector: immutable
apps.v1.DeploymentStatus
  observedGeneration replicas updatedReplicas readyReplicas availableReplicas: 0..
  unavailableReplicas terminatingReplicas collisionCount: 0..
apps.v1.ReplicaSetSpec
  replicas minReadySeconds: 0..
  selector: immutable
apps.v1.ReplicaSetStatus
  replicas fullyLabeledReplicas readyReplicas availableReplicas terminatingReplicas: 0..
  observedGeneration: 0..
apps.v1.DaemonSetSpec
  minReadySeconds revisionHistoryLimit: 0..
  selector: immutable
apps.v1.DaemonSetStatus
  currentNumberScheduled numberMisscheduled desiredNumberScheduled numberReady: 0..
  observedGeneration updatedNumberScheduled numberAvailable numberUnavailable: 0..
  collisionCount: 0..
apps.v1.RollingUpdateDaemonSet
  maxUnavailable maxSurge: int-or-percent
  maxUnavailable maxSurge: at-most-100-percent
apps.v1.StatefulSetSpec
  podManagementPolicy: required OrderedReady|Parallel "must be 'OrderedReady' or 'Parallel'"
  persistentVolumeClaimRetentionPolicy: fields
  replicas minReadySeconds: 0..
  ordinals: fields
  revisionHistoryLimit: 0..
apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy
  whenDeleted whenScaled: required Retain|Delete
apps.v1.StatefulSetOrdinals
  start: 0..
apps.v1.RollingUpdateStatefulSetStrategy
  partition: 0..
apps.v1.StatefulSetStatus
  replicas readyReplicas currentReplicas updatedReplicas availableReplicas: 0..
  observedGeneration collisionCount: 0..
apps.v1.ControllerRevision
  revision: 0..
  data: immutable

batch.v1.CronJobSpec
  schedule: required
  startingDeadlineSeconds: 0..
  concurrencyPolicy: required Allow|Forbid|Replace
  successfulJobsHistoryLimit failedJobsHistoryLimit: 0..
batch.v1.JobSpec
  parallelism completions activeDeadlineSeconds backoffLimit ttlSecondsAfterFinished: 0..
  backoffLimitPerIndex maxFailedIndexes: 0..
  completionMode: optional NonIndexed|Indexed
  completionMode podFailurePolicy backoffLimitPerIndex managedBy successPolicy: immutable
batch.v1.JobStatus
  active succeeded failed ready terminating: 0..

autoscaling.v2.HorizontalPodAutoscalerSpec
  minReplicas: judged 1.. "must be greater than or equal to 1"
  maxReplicas: judged 1.. "must be greater than 0"
  scaleTargetRef: judged fields
autoscaling.v2.CrossVersionObjectReference
  kind name: required

policy.v1.PodDisruptionBudgetSpec
  minAvailable maxUnavailable: int-or-percent at-most-100-percent
  unhealthyPodEvictionPolicy: filled AlwaysAllow|IfHealthyBudget
policy.v1.PodDisruptionBudgetStatus
  disruptionsAllowed currentHealthy desiredHealthy expectedPods: 0..

core.v1.ReplicationControllerSpec
  minReadySeconds: 0..
  selector: required
  replicas: 0..
core.v1.ReplicationControllerStatus
  replicas fullyLabeledReplicas readyReplicas availableReplicas observedGeneration: 0..

core.v1.Container
  name: required dns-label
  image: required
  terminationMessagePolicy: required File|FallbackToLogsOnError
  imagePullPolicy: required Always|IfNotPresent|Never
  restartPolicy: filled Always|Never|OnFailure
  restartPolicyRules: items<=20
core.v1.ContainerPort
  name: port-name
  containerPort: required 1..65535
  hostPort: 1..65535
  protocol: required SCTP|TCP|UDP
core.v1.VolumeMount
  name mountPath: required
  mountPropagation: filled Bidirectional|HostToContainer|None
core.v1.VolumeDevice
  name devicePath: required
core.v1.EnvVar
  name: required env-var-name
core.v1.EnvFromSource
  prefix: env-var-name
  configMapRef secretRef: fields
core.v1.ConfigMapEnvSource core.v1.SecretEnvSource
  name: required dns-subdomain-prefix
core.v1.ConfigMapKeySelector core.v1.SecretKeySelector
  name: judged dns-subdomain
  key: required config-key
core.v1.ResourceFieldSelector
  resource: required
core.v1.Probe
  initialDelaySeconds timeoutSeconds periodSeconds successThreshold failureThreshold: 0..
  terminationGracePeriodSeconds: 1.. "must be greater than 0"
core.v1.ExecAction
  command: required
core.v1.HTTPGetAction
  path: required
  port: judged port-or-name
  scheme: judged HTTP|HTTPS
core.v1.TCPSocketAction core.v1.GRPCAction
  port: judged port-or-name

core.v1.PodSpec
  restartPolicy: required Always|OnFailure|Never
  dnsPolicy: required ClusterFirstWithHostNet|ClusterFirst|Default|None
  readinessGates: each fields
  serviceAccountName nodeName: dns-subdomain
  activeDeadlineSeconds: 1..2147483647
  hostname subdomain: dns-label
  hostAliases: each fields
  priorityClassName runtimeClassName: dns-subdomain
  preemptionPolicy: filled PreemptLowerPriority|Never
  hostnameOverride: dns-subdomain
core.v1.PodReadinessGate
  conditionType: judged qualified-name
core.v1.HostAlias
  ip: judged ip
  hostnames: each dns-subdomain
core.v1.PodOS
  name: required linux|windows
core.v1.PodDNSConfig
  nameservers: items<=3 "must not have more than 3 nameservers" each ip
  searches: items<=32 "must not have more than 32 search paths"
core.v1.PodResourceClaim
  name: required dns-label
  resourceClaimName resourceClaimTemplateName: dns-subdomain
core.v1.ContainerRestartRule
  action: judged Restart|RestartAllContainers
  exitCodes: fields
core.v1.ContainerRestartRuleOnExitCodes
  operator: judged In|NotIn
  values: items<=255
core.v1.NodeSelector
  nodeSelectorTerms: required "must have at least one node selector term"
core.v1.NodeSelectorRequirement
  key: judged qualified-name
  values: each label-value
core.v1.PreferredSchedulingTerm core.v1.WeightedPodAffinityTerm
  weight: judged 1..100 "must be in the range 1-100"
core.v1.Toleration
  key: qualified-name
  effect: NoSchedule|PreferNoSchedule|NoExecute
core.v1.TopologySpreadConstraint
  maxSkew: judged 1.. "must be greater than zero"
  topologyKey: required "can not be empty"
  whenUnsatisfiable: judged DoNotSchedule|ScheduleAnyway
  minDomains: 1.. "must be greater than zero"
  nodeAffinityPolicy nodeTaintsPolicy: filled Honor|Ignore
core.v1.PodSecurityContext
  fsGroup runAsUser runAsGroup: 0..2147483647
  supplementalGroups: each 0..2147483647
  fsGroupChangePolicy: filled Always|OnRootMismatch
  supplementalGroupsPolicy: filled Merge|Strict
  seLinuxChangePolicy: filled MountOption|Recursive
core.v1.SecurityContext
  runAsUser runAsGroup: 0..2147483647
  procMount: filled Default|Unmasked
core.v1.AppArmorProfile
  type: required "type is required when appArmorProfile is set" Localhost|RuntimeDefault|Unconfined
core.v1.SeccompProfile
  type: required "type is required when seccompProfile is set" Localhost|RuntimeDefault|Unconfined
core.v1.Sysctl
  name: required

core.v1.Volume
  name: required dns-label
core.v1.KeyToPath
  key: required
  mode: 0..511 "must be a number between 0 and 0777 (octal), both inclusive"
core.v1.DownwardAPIVolumeFile
  mode: 0..511 "must be a number between 0 and 0777 (octal), both inclusive"
core.v1.SecretVolumeSource
  secretName: required
  defaultMode: 0..511 "must be a number between 0 and 0777 (octal), both inclusive"
core.v1.ConfigMapVolumeSource
  name: required
  defaultMode: 0..511 "must be a number between 0 and 0777 (octal), both inclusive"
core.v1.DownwardAPIVolumeSource core.v1.ProjectedVolumeSource
  defaultMode: 0..511 "must be a number between 0 and 0777 (octal), both inclusive"
core.v1.SecretProjection core.v1.ConfigMapProjection
  name: required
core.v1.PersistentVolumeClaimVolumeSource
  claimName: required
core.v1.NFSVolumeSource
  server path: required
core.v1.CSIVolumeSource
  driver: required
core.v1.GitRepoVolumeSource
  repository: required
core.v1.GCEPersistentDiskVolumeSource
  pdName: required
  partition: 0..255 "must be between 1 and 255, inclusive"
core.v1.AWSElasticBlockStoreVolumeSource
  volumeID: required
  partition: 0..255 "must be between 1 and 255, inclusive"
core.v1.ISCSIVolumeSource
  targetPortal iqn: required
  lun: 0..255
core.v1.GlusterfsVolumeSource
  endpoints path: required
core.v1.RBDVolumeSource
  monitors image: required
core.v1.CinderVolumeSource
  volumeID: required
core.v1.CephFSVolumeSource
  monitors: required
core.v1.FlexVolumeSource
  driver: required
core.v1.AzureFileVolumeSource
  secretName shareName: required
core.v1.AzureDiskVolumeSource
  diskName diskURI: required
  cachingMode: None|ReadOnly|ReadWrite
  kind: Dedicated|Managed|Shared
core.v1.VsphereVirtualDiskVolumeSource
  volumePath: required
core.v1.PhotonPersistentDiskVolumeSource
  pdID: required
core.v1.PortworxVolumeSource
  volumeID: required
core.v1.StorageOSVolumeSource
  volumeName: required dns-label
  volumeNamespace: dns-label
core.v1.ScaleIOVolumeSource
  gateway system volumeName: required
core.v1.ImageVolumeSource
  pullPolicy: required Always|IfNotPresent|Never
core.v1.PersistentVolumeClaimSpec
  storageClassName: optional dns-subdomain
  volumeMode: required Block|Filesystem
  volumeAttributesClassName: optional dns-subdomain
core.v1.PersistentVolumeSpec
  persistentVolumeReclaimPolicy: Delete|Recycle|Retain
  storageClassName: dns-subdomain
  volumeMode: Block|Filesystem
  volumeAttributesClassName: filled dns-subdomain
core.v1.VolumeNodeAffinity
  required: required "must specify required node constraints"
core.v1.SecretReference
  name: required dns-subdomain
  namespace: required dns-label
core.v1.AzureFilePersistentVolumeSource
  secretName shareName: required
  secretNamespace: filled
core.v1.CephFSPersistentVolumeSource
  monitors: required
core.v1.CinderPersistentVolumeSource
  volumeID: required
core.v1.FlexPersistentVolumeSource
  driver: required
core.v1.GlusterfsPersistentVolumeSource
  endpoints path: required
  endpointsNamespace: dns-label
core.v1.ISCSIPersistentVolumeSource
  targetPortal iqn: required
  lun: 0..255
core.v1.RBDPersistentVolumeSource
  monitors image: required
core.v1.ScaleIOPersistentVolumeSource
  gateway system volumeName: required
core.v1.StorageOSPersistentVolumeSource
  volumeName: required dns-label
  volumeNamespace: dns-label

core.v1.NodeSpec
  podCIDRs: each cidr
core.v1.Taint
  key: judged qualified-name
  value: judged label-value
  effect: required NoSchedule|PreferNoSchedule|NoExecute
core.v1.LimitRangeItem
  type: judged qualified-name
core.v1.ResourceQuotaSpec
  scopes: immutable
core.v1.Secret
  type: immutable

core.v1.ServiceSpec
  sessionAffinity: required ClientIP|None
  ipFamilyPolicy: filled PreferDualStack|RequireDualStack|SingleStack
  externalIPs: each endpoint-ip
  type: required ClusterIP|ExternalName|LoadBalancer|NodePort
  externalTrafficPolicy: required Cluster|Local
  internalTrafficPolicy: Cluster|Local
  loadBalancerClass: qualified-name
  trafficDistribution: PreferClose|PreferSameZone|PreferSameNode
core.v1.ServicePort
  name: dns-label
  port: judged 1..65535
  protocol: required SCTP|TCP|UDP
  targetPort: judged port-or-name
  appProtocol: qualified-name
core.v1.EndpointSubset
  addresses notReadyAddresses: each fields
core.v1.EndpointAddress
  ip: judged endpoint-ip
  hostname: dns-label
  nodeName: dns-subdomain
core.v1.EndpointPort
  name: dns-label
  port: judged 1..65535
  protocol: required SCTP|TCP|UDP
  appProtocol: qualified-name
discovery.v1.EndpointSlice
  addressType: required FQDN|IPv4|IPv6 immutable
  endpoints: items<=1000
  ports: items<=20000
discovery.v1.Endpoint
  addresses: required "must contain at least 1 address" items<=100
  nodeName: dns-subdomain
  hostname: dns-label
discovery.v1.EndpointHints
  forZones: items<=8
discovery.v1.EndpointPort
  name: optional dns-label
  protocol: required SCTP|TCP|UDP
  appProtocol: qualified-name
networking.v1.IngressSpec
  ingressClassName: dns-subdomain
networking.v1.IngressTLS
  secretName: dns-subdomain
networking.v1.IngressServiceBackend
  name: required dns-label
networking.v1.ServiceBackendPort
  name: port-name
  number: 1..65535
core.v1.TypedLocalObjectReference
  kind name: required
networking.v1.NetworkPolicySpec
  policyTypes: each Ingress|Egress
networking.v1.NetworkPolicyPort
  protocol: required SCTP|TCP|UDP
  port: port-or-name
networking.v1.IngressClassSpec
  controller: immutable
networking.v1.IngressClassParametersReference
  apiGroup: dns-subdomain
  kind name: required path-segment
  scope: required Cluster|Namespace
networking.v1.IPAddressSpec
  parentRef: immutable fields
networking.v1.ParentReference
  group: dns-subdomain
  resource name: required path-segment
  namespace: path-segment

coordination.v1.LeaseSpec
  leaseDurationSeconds: 1.. "must be greater than 0"
  leaseTransitions: 0..
node.v1.RuntimeClass
  handler: required dns-label immutable
scheduling.v1.PriorityClass
  preemptionPolicy: required Never|PreemptLowerPriority immutable
flowcontrol.v1.ExemptPriorityLevelConfiguration
  nominalConcurrencyShares: 0.. "must be a non-negative integer"
  lendablePercent: 0..100 "must be between 0 and 100, inclusive"
flowcontrol.v1.LimitedPriorityLevelConfiguration
  nominalConcurrencyShares: 0.. "must be a non-negative integer"
  lendablePercent: 0..100 "must be between 0 and 100, inclusive"
  borrowingLimitPercent: 0.. "if specified, must be a non-negative integer"
certificates.v1.CertificateSigningRequestSpec
  usages: required "usages must be provided"
  signerName: required
storage.v1.StorageClass
  parameters provisioner: immutable
  reclaimPolicy: optional Delete|Retain immutable
  volumeBindingMode: Immediate|WaitForFirstConsumer immutable
storage.v1.CSIDriverSpec
  fsGroupPolicy: File|None|ReadWriteOnceWithFSType
  nodeAllocatableUpdatePeriodSeconds: 10.. "must be greater than or equal to 10 seconds"
  volumeLifecycleModes: immutable
storage.v1.CSINodeDriver
  nodeID: required
storage.v1.VolumeNodeResources
  count: 0..
storage.v1.CSIStorageCapacity
  nodeTopology: immutable
  storageClassName: judged dns-subdomain immutable
storage.v1.VolumeAttachmentSpec
  nodeName: judged dns-subdomain
storage.v1.VolumeError
  errorCode: 0.. "must be between 0 and 2147483647, inclusive"
rbac.v1.PolicyRule
  verbs: required "verbs must contain at least one value"
  apiGroups: required "resource rules must supply at least one api group"
  resources: required "resource rules must supply at least one resource"
rbac.v1.RoleRef
  apiGroup: judged rbac.authorization.k8s.io|
  name: required path-segment
rbac.v1.Subject
  name: required
)";

}  // namespace

std::string_view constraint_facts() { return kConstraintFacts; }

}  // namespace davit
