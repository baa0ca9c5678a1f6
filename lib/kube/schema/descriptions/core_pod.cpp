// Pod and all that it holds.
#include "lib/kube/schema/descriptions/descriptions.hpp"

namespace davit {

namespace {

constexpr std::string_view kCorePodDescriptions = R"(
core.v1.Pod: One or more containers that run together on one node and share network and volumes.
core.v1.PodTemplateSpec: The pods that a controller creates.
  metadata: Labels, annotations and other metadata of the pods.
  spec: Desired state of the pods.
core.v1.PodSpec: Desired state of a Pod.
  activeDeadlineSeconds: Seconds after which the Pod is ended and counts as failed.
  affinity: Rules about nodes and other pods that the scheduler observes.
  automountServiceAccountToken: Whether containers get the token of the service account mounted.
  containers: Containers of the Pod, at least one. None can be added or removed later.
  dnsConfig: DNS settings beside those of dnsPolicy.
  dnsPolicy: ClusterFirst, ClusterFirstWithHostNet, Default or None. Default: ClusterFirst.
  enableServiceLinks: Whether containers get variables for the Services of the namespace. Default:
    true.
  ephemeralContainers: Containers for debugging, added to a running Pod by kubectl debug.
  hostAliases: Lines for the Pod's /etc/hosts.
  hostIPC: Whether the Pod shares the node's IPC namespace. Default: false.
  hostNetwork: Whether the Pod shares the node's network. Default: false.
  hostPID: Whether the Pod shares the node's process namespace. Default: false.
  hostUsers: Whether the Pod shares the node's user namespace. Default: true.
  hostname: Host name of the Pod. Default: its name.
  hostnameOverride: Host name in full, in place of hostname, subdomain and cluster domain.
  imagePullSecrets: Secrets of this namespace for pulling images.
  initContainers: Containers that run before the others, one after the other. Each must succeed.
  nodeName: Node that the Pod runs on. Usually set by the scheduler.
  nodeSelector: Labels that the node must have.
  os: Operating system that the containers need.
  overhead: Resources for running the Pod beside those of its containers. Set from its RuntimeClass.
  preemptionPolicy: PreemptLowerPriority or Never. Default: PreemptLowerPriority.
  priority: Number for the importance of the Pod. Set from its PriorityClass.
  priorityClassName: PriorityClass of the Pod.
  readinessGates: Conditions that must hold beside ready containers for the Pod to be ready.
  resourceClaims: Claims of devices that must be allocated before the Pod starts.
  resources: Resources of the Pod as a whole.
  restartPolicy: When ended containers start again: Always, OnFailure or Never. Default: Always.
  runtimeClassName: RuntimeClass that runs the Pod.
  schedulerName: Scheduler that assigns the node. Default: default-scheduler.
  schedulingGates: Names that must be removed before the Pod is scheduled.
  schedulingGroup: Group of pods that are scheduled together.
  securityContext: Users, groups and other security settings of the whole Pod.
  serviceAccount: Deprecated; use serviceAccountName.
  serviceAccountName: ServiceAccount that the Pod runs as. Default: default.
  setHostnameAsFQDN: Whether the host name is the full domain name. Default: false.
  shareProcessNamespace: Whether containers see each other's processes. Default: false.
  subdomain: Name between host name and namespace in the Pod's domain name.
  terminationGracePeriodSeconds: Seconds between the request to end and being killed. Default: 30.
  tolerations: Taints that the Pod gets along with.
  topologySpreadConstraints: How evenly pods spread over zones, nodes and the like.
  volumes: Volumes that containers can mount.
core.v1.PodStatus: Observed state of a Pod.
  allocatedResources: Resources that the node has set aside for the Pod.
  containerStatuses: State of each container.
  ephemeralContainerStatuses: State of each ephemeral container.
  extendedResourceClaimStatus: Claim that was made for extended resources.
  hostIP: Address of the node.
  hostIPs: Addresses of the node.
  initContainerStatuses: State of each init container.
  message: Text for people on why the Pod is in this state.
  nodeAllocatableResourceClaimStatuses: Claims that take part in the node's resources.
  nominatedNodeName: Node on which the scheduler makes room for the Pod.
  phase: Pending, Running, Succeeded, Failed or Unknown.
  podIP: Address of the Pod.
  podIPs: Addresses of the Pod, at most one for each IP family.
  qosClass: Guaranteed, Burstable or BestEffort, from the containers' resources.
  reason: One CamelCase word on why the Pod is in this state, such as Evicted.
  resize: Deprecated; how far a resize of the resources has come.
  resourceClaimStatuses: Claims that were made for resourceClaims.
  resources: Resources of the Pod that are in force.
  startTime: When the node accepted the Pod.
core.v1.PodCondition: One aspect of a Pod's state, such as Ready or PodScheduled.
core.v1.Container: A container of a Pod.
  args: Arguments in place of the image's CMD. $(NAME) stands for a variable.
  command: Program in place of the image's ENTRYPOINT. It runs without a shell.
  env: Environment variables.
  envFrom: ConfigMaps and Secrets whose keys become environment variables.
  image: Image to run.
  imagePullPolicy: Always, IfNotPresent or Never. Default: Always for tag latest, else IfNotPresent.
  lifecycle: What to do after the start and before the end.
  livenessProbe: Check whose failure restarts the container.
  name: Name of the container, unique in the Pod. It cannot change.
  ports: Ports that the container listens on. Informative only.
  readinessProbe: Check whose failure takes the Pod out of its Services.
  resizePolicy: Whether a change of resources restarts the container, by resource.
  resources: CPU, memory and other resources that the container needs and may use.
  restartPolicy: When this container starts again. Always turns an init container into a sidecar.
  restartPolicyRules: Rules on exit codes that come before restartPolicy.
  securityContext: User, privileges and other security settings.
  startupProbe: Check that must succeed before the other probes begin.
  stdin: Whether standard input stays open. Default: false.
  stdinOnce: Whether standard input is closed after the first client. Default: false.
  terminationMessagePath: File whose content becomes the message in the status. Default:
    /dev/termination-log.
  terminationMessagePolicy: File, or FallbackToLogsOnError for the end of the log if the file is
    empty. Default: File.
  tty: Whether the container gets a terminal. Needs stdin. Default: false.
  volumeDevices: Block devices of the Pod's volumes.
  volumeMounts: Where the Pod's volumes are mounted.
  workingDir: Working directory. Default: the image's.
core.v1.EphemeralContainer: A container that is added to a running Pod for debugging. It is never
    restarted and has no probes.
  targetContainerName: Container whose processes it sees.
core.v1.ContainerPort: A port that a container listens on.
  containerPort: Number of the port.
  hostIP: Address of the node that hostPort is bound to.
  hostPort: Port of the node that leads here. Rarely needed.
  name: Name of the port, for Services and probes.
  protocol: TCP, UDP or SCTP. Default: TCP.
core.v1.EnvVar: An environment variable.
  name: Name of the variable.
  value: Value of the variable. $(NAME) stands for an earlier one.
  valueFrom: Where the value comes from. Not together with value.
core.v1.EnvVarSource: Where the value of a variable comes from.
  configMapKeyRef: Key of a ConfigMap.
  fieldRef: Field of the Pod, such as metadata.name or status.podIP.
  fileKeyRef: Key in a file of a volume.
  resourceFieldRef: Resource of a container, such as limits.cpu.
  secretKeyRef: Key of a Secret.
core.v1.EnvFromSource: An object whose keys become environment variables.
  configMapRef: The ConfigMap.
  prefix: Text put before each name.
  secretRef: The Secret.
core.v1.ResourceRequirements: Resources that are needed and allowed.
  claims: Claims of the Pod that the container uses.
  limits: Most that may be used, by resource.
  requests: Least that must be there, by resource. Default: the limits.
core.v1.Probe: A check of a container. Exactly one of exec, grpc, httpGet and tcpSocket is set.
  failureThreshold: Failures in a row that count as failed. Default: 3.
  initialDelaySeconds: Seconds after the start at which checks begin. Default: 0.
  periodSeconds: Seconds between checks. Default: 10.
  successThreshold: Successes in a row after a failure that count as good. Default: 1.
  terminationGracePeriodSeconds: Seconds that the container gets to end when the check fails.
    Default: the Pod's.
  timeoutSeconds: Seconds that a check may take. Default: 1.
core.v1.ExecAction: A command in a container.
  command: Program and arguments. It runs without a shell.
core.v1.HTTPGetAction: An HTTP request to a container.
  host: Host to connect to. Default: the Pod's address.
  httpHeaders: Headers to send.
  path: Path to request. Default: /.
  port: Number or name of the port.
  scheme: HTTP or HTTPS. Default: HTTP.
core.v1.TCPSocketAction: A TCP connection to a container.
  host: Host to connect to. Default: the Pod's address.
  port: Number or name of the port.
core.v1.GRPCAction: A request to a gRPC health service.
  port: Number of the port.
  service: Name of the service to ask about.
core.v1.Lifecycle: What to do at turns of a container's life.
  postStart: Runs right after the start. A failure kills the container.
  preStop: Runs before the container is asked to end.
  stopSignal: Signal that asks the container to end. Default: the image's.
core.v1.LifecycleHandler: An action in a container's life. Exactly one is set.
  exec: Runs a command in the container.
  httpGet: Sends an HTTP request.
  sleep: Waits.
  tcpSocket: Deprecated and without effect.
core.v1.SecurityContext: Security settings of a container. They come before those of the Pod.
  allowPrivilegeEscalation: Whether a process can gain more privileges than its parent.
  appArmorProfile: AppArmor profile.
  capabilities: Capabilities to add and drop.
  privileged: Whether the container has all rights of the node's root. Default: false.
  procMount: Kind of /proc mount: Default or Unmasked.
  readOnlyRootFilesystem: Whether the root file system is read-only. Default: false.
  runAsGroup: Group ID of the process.
  runAsNonRoot: Whether the container must not run as user 0.
  runAsUser: User ID of the process. Default: the image's.
  seLinuxOptions: SELinux labels.
  seccompProfile: Seccomp profile.
  windowsOptions: Settings for Windows.
core.v1.PodSecurityContext: Security settings of all containers of a Pod.
  appArmorProfile: AppArmor profile.
  fsGroup: Group that owns the files of volumes.
  fsGroupChangePolicy: When the owner of files changes: Always or OnRootMismatch. Default: Always.
  runAsGroup: Group ID of the processes.
  runAsNonRoot: Whether containers must not run as user 0.
  runAsUser: User ID of the processes. Default: the image's.
  seLinuxChangePolicy: How volumes get SELinux labels: Recursive or MountOption.
  seLinuxOptions: SELinux labels.
  seccompProfile: Seccomp profile.
  supplementalGroups: Further groups of the processes.
  supplementalGroupsPolicy: Merge adds the image's groups, Strict does not. Default: Merge.
  sysctls: Kernel settings of the Pod.
  windowsOptions: Settings for Windows.
core.v1.Capabilities: Linux capabilities of a container.
  add: Capabilities to add.
  drop: Capabilities to drop; ALL drops all.
core.v1.Volume: A volume of a Pod. Exactly one source is set.
  name: Name of the volume, unique in the Pod.
core.v1.VolumeMount: Where a volume appears in a container.
  mountPath: Path in the container.
  mountPropagation: Whether mounts pass between node and container: None, HostToContainer or
    Bidirectional.
  name: Name of the volume.
  readOnly: Whether the mount is read-only. Default: false.
  recursiveReadOnly: Whether mounts below are read-only, too.
  subPath: Path in the volume to mount. Default: its root.
  subPathExpr: Like subPath, with $(NAME) for variables.
core.v1.Toleration: Taints that a Pod gets along with.
  effect: Effect of the taint. Empty: every effect.
  key: Key of the taint. Empty, with operator Exists: every taint.
  operator: Exists takes every value, Equal the given one. Default: Equal.
  tolerationSeconds: Seconds that the Pod stays on a node with a NoExecute taint. Absent: for ever.
  value: Value of the taint.
core.v1.Affinity: Rules about where a Pod should run.
  nodeAffinity: Rules about nodes.
  podAffinity: Rules about pods to be close to.
  podAntiAffinity: Rules about pods to be away from.
core.v1.TopologySpreadConstraint: How evenly pods spread over the values of a node label.
  labelSelector: Which pods count.
  matchLabelKeys: Labels of this Pod that counted pods must share.
  maxSkew: Largest allowed difference between the number of pods in two domains.
  minDomains: How many domains there must be at least.
  nodeAffinityPolicy: Honor counts only nodes that fit the Pod's affinity, Ignore counts all.
  nodeTaintsPolicy: Honor counts only nodes whose taints the Pod tolerates, Ignore counts all.
  topologyKey: Node label whose values are the domains.
  whenUnsatisfiable: DoNotSchedule or ScheduleAnyway.
core.v1.ContainerStatus: Observed state of a container.
  allocatedResources: Resources that the node has set aside for it.
  allocatedResourcesStatus: Health of its devices.
  containerID: Identity of the container at its runtime.
  image: Image that runs.
  imageID: Exact identity of the image.
  lastState: How the container ended last time.
  name: Name of the container.
  ready: Whether its readiness probe succeeds.
  resources: Resources that are in force.
  restartCount: How often it was restarted.
  started: Whether its startup probe has succeeded.
  state: What the container does now.
  stopSignal: Signal that asks it to end.
  user: User and groups of its first process.
  volumeMounts: State of its mounts.
core.v1.ContainerState: What a container does. One member is set.
  running: It runs.
  terminated: It has ended.
  waiting: It has not started yet.
core.v1.ContainerStateRunning: A container that runs.
  startedAt: When it started.
core.v1.ContainerStateTerminated: A container that has ended.
  containerID: Identity of the container at its runtime.
  exitCode: Exit code of its process.
  finishedAt: When it ended.
  message: Text for people, such as its termination message.
  reason: One CamelCase word on why it ended, such as OOMKilled.
  signal: Signal that ended it.
  startedAt: When it started.
core.v1.ContainerStateWaiting: A container that has not started.
  message: Text for people.
  reason: One CamelCase word on why it waits, such as ImagePullBackOff.
core.v1.LocalObjectReference: Names an object of the same namespace.
  name: Name of the object.
core.v1.AppArmorProfile: An AppArmor profile.
  localhostProfile: Name of the profile on the node. Only for type Localhost, and required there.
  type: Localhost for a profile of the node, RuntimeDefault for the container runtime's, or
    Unconfined.
core.v1.SeccompProfile: A seccomp profile.
  localhostProfile: Path of the profile below the kubelet's directory for seccomp. Only for type
    Localhost, and required there.
  type: Localhost for a file of the node, RuntimeDefault for the container runtime's, or Unconfined.
core.v1.SELinuxOptions: SELinux labels of a container.
  level: Level label.
  role: Role label.
  type: Type label.
  user: User label.
core.v1.WindowsSecurityContextOptions: Security settings for Windows.
  gmsaCredentialSpec: Content of the GMSA credential spec that gmsaCredentialSpecName names. Set by
    a webhook.
  gmsaCredentialSpecName: Name of the GMSA credential spec.
  hostProcess: Whether the container runs as a process of the node. All containers of a Pod must
    agree, and hostNetwork must be true. Default: false.
  runAsUserName: User that the process runs as. Default: the image's.
core.v1.Sysctl: A kernel setting of a Pod.
  name: Name of the setting, such as net.core.somaxconn.
  value: Value of the setting.
core.v1.ConfigMapEnvSource: A ConfigMap whose keys become environment variables.
  name: Name of the ConfigMap.
core.v1.SecretEnvSource: A Secret whose keys become environment variables.
  name: Name of the Secret.
core.v1.ConfigMapEnvSource core.v1.SecretEnvSource:
  optional: Whether the object may be missing. Default: false.
core.v1.FileKeySelector: A key of a file with environment variables.
  key: Name of the variable in the file.
  optional: Whether the file or the key may be missing. Default: false.
  path: Path of the file, relative to the volume.
  volumeName: Name of the volume with the file. It must be an emptyDir.
core.v1.ContainerResizePolicy: What a change of one resource means for a container.
  resourceName: Name of the resource: cpu or memory.
  restartPolicy: NotRequired changes the running container, RestartContainer restarts it. Default:
    NotRequired.
core.v1.ContainerRestartRule: A rule on what happens when a container exits.
  action: Restart or RestartAllContainers.
  exitCodes: Exit codes that the rule matches.
core.v1.ContainerRestartRuleOnExitCodes: Exit codes that a rule matches.
  operator: In or NotIn.
  values: Exit codes that the container's is compared with, at most 255.
core.v1.ContainerUser: User of a container's first process.
  linux: User and groups on Linux.
core.v1.LinuxContainerUser: User and groups of a container's first process.
  gid: Group ID.
  supplementalGroups: Further group IDs.
  uid: User ID.
core.v1.EphemeralContainerCommon: What an ephemeral container has in common with other containers.
  args: Arguments in place of the image's CMD. $(NAME) stands for a variable.
  command: Program in place of the image's ENTRYPOINT. It runs without a shell.
  env: Environment variables.
  envFrom: ConfigMaps and Secrets whose keys become environment variables.
  image: Image to run.
  imagePullPolicy: Always, IfNotPresent or Never. Default: Always for tag latest, else IfNotPresent.
  lifecycle: Not allowed in ephemeral containers.
  livenessProbe: Not allowed in ephemeral containers.
  name: Name of the container, unique in the Pod.
  ports: Not allowed in ephemeral containers.
  readinessProbe: Not allowed in ephemeral containers.
  resizePolicy: Not allowed in ephemeral containers.
  resources: Not allowed in ephemeral containers, which use what the Pod has to spare.
  restartPolicy: Not allowed in ephemeral containers.
  restartPolicyRules: Not allowed in ephemeral containers.
  securityContext: User, privileges and other security settings.
  startupProbe: Not allowed in ephemeral containers.
  stdin: Whether standard input stays open. Default: false.
  stdinOnce: Whether standard input is closed after the first client. Default: false.
  terminationMessagePath: File whose content becomes the message in the status. Default:
    /dev/termination-log.
  terminationMessagePolicy: File, or FallbackToLogsOnError for the end of the log if the file is
    empty. Default: File.
  tty: Whether the container gets a terminal. Needs stdin. Default: false.
  volumeDevices: Block devices of the Pod's volumes.
  volumeMounts: Where the Pod's volumes are mounted. Without subPath and subPathExpr.
  workingDir: Working directory. Default: the image's.
core.v1.ProbeHandler: An action that checks a container. Exactly one member is set.
  exec: Runs a command in the container. Exit code 0 is success.
  grpc: Asks a gRPC health service.
  httpGet: Sends an HTTP request. A status from 200 to 399 is success.
  tcpSocket: Opens a TCP connection.
core.v1.HTTPHeader: A header of an HTTP request.
  name: Name of the header.
  value: Value of the header.
core.v1.SleepAction: A pause.
  seconds: Length of the pause in seconds.
core.v1.HostAlias: A line of the Pod's /etc/hosts.
  hostnames: Names of the address.
  ip: IP address of the line.
core.v1.HostIP core.v1.PodIP: An IP address.
  ip: The address.
core.v1.NodeAffinity: Rules about the nodes that a Pod runs on.
  preferredDuringSchedulingIgnoredDuringExecution: Nodes that the scheduler prefers, with weights.
    The sum of the weights that fit decides.
  requiredDuringSchedulingIgnoredDuringExecution: What a node must fulfil when the Pod is scheduled.
    Later changes of the node do not evict it.
core.v1.PodAffinity: Rules about pods to be close to.
core.v1.PodAntiAffinity: Rules about pods to be away from.
core.v1.PodAffinity core.v1.PodAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution: Rules that the scheduler follows if it can, with
    weights.
  requiredDuringSchedulingIgnoredDuringExecution: Rules that must all hold when the Pod is
    scheduled. Later changes do not evict it.
core.v1.NodeSelector: Selects nodes. One term that matches is enough.
  nodeSelectorTerms: The terms. An empty list selects none.
core.v1.NodeSelectorTerm: Requirements on a node. All of them must hold; an empty term matches none.
  matchExpressions: Requirements on labels.
  matchFields: Requirements on fields. The only field is metadata.name.
core.v1.NodeSelectorRequirement: A key, an operator and the values that it is compared with.
  key: Key of the label, or the field.
  operator: In, NotIn, Exists, DoesNotExist, Gt or Lt.
  values: Values for In and NotIn, at least one; one integer for Gt and Lt; none for Exists and
    DoesNotExist.
core.v1.PreferredSchedulingTerm: Nodes that are preferred.
  preference: The nodes.
core.v1.WeightedPodAffinityTerm: A rule that is followed if possible.
  podAffinityTerm: The rule.
core.v1.PreferredSchedulingTerm core.v1.WeightedPodAffinityTerm:
  weight: Weight of the preference, from 1 to 100.
core.v1.PodAffinityTerm: Pods to be close to or away from, and what counts as close.
  labelSelector: Labels of the pods. Absent: none.
  matchLabelKeys: Labels of this Pod that the others must share.
  mismatchLabelKeys: Labels of this Pod that the others must not share.
  namespaceSelector: Labels of the pods' namespaces, beside those in namespaces. Empty: every
    namespace.
  namespaces: Namespaces of the pods. Empty, without namespaceSelector: that of this Pod.
  topologyKey: Node label. Nodes with the same value are close to each other.
core.v1.PodDNSConfig: DNS settings of a Pod. They are merged into those of dnsPolicy.
  nameservers: IP addresses of DNS servers, at most 3 in all.
  options: Options of the resolver.
  searches: Domains in which short names are looked up.
core.v1.PodDNSConfigOption: An option of the resolver.
  name: Name of the option, such as ndots.
  value: Value of the option, if it has one.
core.v1.PodOS: Operating system of a Pod.
  name: linux or windows.
core.v1.PodReadinessGate: A condition that must hold for a Pod to be ready.
  conditionType: Type of the condition. Absent from the status counts as False.
core.v1.PodSchedulingGate: Something that keeps a Pod from being scheduled.
  name: Name of the gate, unique in the Pod.
core.v1.PodSchedulingGroup: Group of pods that are scheduled together.
  podGroupName: Name of the PodGroup, in the Pod's namespace.
core.v1.PodResourceClaim: A claim of devices for a Pod. Either resourceClaimName or
    resourceClaimTemplateName is set.
  name: Name by which containers refer to the claim.
  resourceClaimName: Name of a ResourceClaim, in the Pod's namespace.
  resourceClaimTemplateName: Name of a ResourceClaimTemplate. A claim that lives as long as the Pod
    is made from it.
core.v1.PodResourceClaimStatus: The claim that was made for an entry of resourceClaims.
  name: Name of the entry.
  resourceClaimName: Name of the ResourceClaim. Absent: none was needed.
core.v1.PodExtendedResourceClaimStatus: The claim that was made for extended resources of a Pod.
  requestMappings: Which request of the claim stands for which resource of a container.
  resourceClaimName: Name of the ResourceClaim.
core.v1.ContainerExtendedResourceRequest: The request of a claim that stands for a container's
    extended resource.
  containerName: Name of the container.
  requestName: Name of the request in the claim.
  resourceName: Name of the extended resource.
core.v1.NodeAllocatableResourceClaimStatus: What a claim takes of the node's resources.
  containers: Containers that use the claim.
  resourceClaimName: Name of the ResourceClaim.
  resources: What the claim takes, by resource.
core.v1.ResourceClaim: A claim of the Pod that a container uses.
  name: Name of the entry in the Pod's resourceClaims.
  request: Request of the claim whose devices the container gets. Empty: all of the claim.
core.v1.ResourceStatus: Health of the devices that a container got as one resource.
  name: Name of the resource; claim:CLAIM/REQUEST for a claim.
  resources: Health of each device.
core.v1.ResourceHealth: Health of a device.
  health: Healthy, Unhealthy or Unknown.
  message: Text for people with details.
  resourceID: Identity of the device.
core.v1.VolumeDevice: A block device in a container.
  devicePath: Path of the device in the container.
  name: Name of the volume, which must be a claim with volumeMode Block.
core.v1.VolumeMountStatus: State of a mount.
  mountPath: Path in the container.
  name: Name of the volume.
  readOnly: Whether the mount is read-only.
  recursiveReadOnly: Whether mounts below are read-only, too: Disabled, Enabled, or absent if not
    applicable.
  volumeStatus: State of the volume.
core.v1.VolumeStatus: State of a mounted volume.
  image: State of a volume of type image.
core.v1.ImageVolumeStatus: State of a volume with the content of an image.
  imageRef: Digest of the image.
)";

}  // namespace

std::string_view core_pod_descriptions() { return kCorePodDescriptions; }

}  // namespace davit
