// Taken from the OpenAPI documents of v1.36.
#include "lib/kube/schema/required_facts.hpp"

namespace davit {

namespace {

constexpr std::string_view kRequiredFacts = R"(
meta.v1.Condition: lastTransitionTime message reason status type
meta.v1.FieldSelectorRequirement: key operator
meta.v1.LabelSelectorRequirement: key operator
meta.v1.OwnerReference: apiVersion kind name uid
meta.v1.ShardInfo: selector
core.v1.AttachedVolume: devicePath name
core.v1.Binding: target
core.v1.ComponentCondition: status type
core.v1.DaemonEndpoint: Port
core.v1.EndpointAddress: ip
core.v1.EndpointPort: port
core.v1.Event: involvedObject metadata
core.v1.LimitRangeItem: type
core.v1.LimitRangeSpec: limits
core.v1.ModifyVolumeStatus: status
core.v1.NamespaceCondition: status type
core.v1.NodeAddress: address type
core.v1.NodeCondition: status type
core.v1.NodeSystemInfo: architecture bootID containerRuntimeVersion kernelVersion kubeProxyVersion
  kubeletVersion machineID operatingSystem osImage systemUUID
core.v1.PersistentVolumeClaimCondition: status type
core.v1.PortStatus: port protocol
core.v1.ReplicationControllerCondition: status type
core.v1.ReplicationControllerStatus: replicas
core.v1.ScopedResourceSelectorRequirement: operator scopeName
core.v1.ServicePort: port
core.v1.Taint: effect key
core.v1.AppArmorProfile: type
core.v1.CSIVolumeSource: driver
core.v1.ClusterTrustBundleProjection: path
core.v1.ConfigMapKeySelector: key
core.v1.Container: name
core.v1.ContainerExtendedResourceRequest: containerName requestName resourceName
core.v1.ContainerPort: containerPort
core.v1.ContainerResizePolicy: resourceName restartPolicy
core.v1.ContainerRestartRule: action
core.v1.ContainerRestartRuleOnExitCodes: operator
core.v1.ContainerStateTerminated: exitCode
core.v1.ContainerStatus: image imageID name ready restartCount
core.v1.DownwardAPIVolumeFile: path
core.v1.EnvVar: name
core.v1.EphemeralContainer: name
core.v1.FileKeySelector: key path volumeName
core.v1.GRPCAction: port
core.v1.HTTPGetAction: port
core.v1.HTTPHeader: name value
core.v1.HostAlias: ip
core.v1.HostIP: ip
core.v1.HostPathVolumeSource: path
core.v1.ImageVolumeStatus: imageRef
core.v1.KeyToPath: key path
core.v1.LinuxContainerUser: gid uid
core.v1.NFSVolumeSource: path server
core.v1.NodeAllocatableResourceClaimStatus: resourceClaimName resources
core.v1.NodeSelector: nodeSelectorTerms
core.v1.NodeSelectorRequirement: key operator
core.v1.ObjectFieldSelector: fieldPath
core.v1.PersistentVolumeClaimTemplate: spec
core.v1.PersistentVolumeClaimVolumeSource: claimName
core.v1.PodAffinityTerm: topologyKey
core.v1.PodCertificateProjection: keyType signerName
core.v1.PodCondition: status type
core.v1.PodExtendedResourceClaimStatus: requestMappings resourceClaimName
core.v1.PodIP: ip
core.v1.PodOS: name
core.v1.PodReadinessGate: conditionType
core.v1.PodResourceClaim: name
core.v1.PodResourceClaimStatus: name
core.v1.PodSchedulingGate: name
core.v1.PodSpec: containers
core.v1.PreferredSchedulingTerm: preference weight
core.v1.ResourceClaim: name
core.v1.ResourceFieldSelector: resource
core.v1.ResourceHealth: resourceID
core.v1.ResourceStatus: name
core.v1.SeccompProfile: type
core.v1.SecretKeySelector: key
core.v1.ServiceAccountTokenProjection: path
core.v1.SleepAction: seconds
core.v1.Sysctl: name value
core.v1.TCPSocketAction: port
core.v1.TopologySpreadConstraint: maxSkew topologyKey whenUnsatisfiable
core.v1.TypedLocalObjectReference: kind name
core.v1.TypedObjectReference: kind name
core.v1.Volume: name
core.v1.VolumeDevice: devicePath name
core.v1.VolumeMount: mountPath name
core.v1.VolumeMountStatus: mountPath name
core.v1.WeightedPodAffinityTerm: podAffinityTerm weight
core.v1.AWSElasticBlockStoreVolumeSource: volumeID
core.v1.AzureDiskVolumeSource: diskName diskURI
core.v1.AzureFilePersistentVolumeSource: secretName shareName
core.v1.AzureFileVolumeSource: secretName shareName
core.v1.CSIPersistentVolumeSource: driver volumeHandle
core.v1.CephFSPersistentVolumeSource: monitors
core.v1.CephFSVolumeSource: monitors
core.v1.CinderPersistentVolumeSource: volumeID
core.v1.CinderVolumeSource: volumeID
core.v1.ConfigMapNodeConfigSource: kubeletConfigKey name namespace
core.v1.FlexPersistentVolumeSource: driver
core.v1.FlexVolumeSource: driver
core.v1.GCEPersistentDiskVolumeSource: pdName
core.v1.GitRepoVolumeSource: repository
core.v1.GlusterfsPersistentVolumeSource: endpoints path
core.v1.GlusterfsVolumeSource: endpoints path
core.v1.ISCSIPersistentVolumeSource: iqn lun targetPortal
core.v1.ISCSIVolumeSource: iqn lun targetPortal
core.v1.LocalVolumeSource: path
core.v1.PhotonPersistentDiskVolumeSource: pdID
core.v1.PortworxVolumeSource: volumeID
core.v1.QuobyteVolumeSource: registry volume
core.v1.RBDPersistentVolumeSource: image monitors
core.v1.RBDVolumeSource: image monitors
core.v1.ScaleIOPersistentVolumeSource: gateway secretRef system
core.v1.ScaleIOVolumeSource: gateway secretRef system
core.v1.TopologySelectorLabelRequirement: key values
core.v1.VsphereVirtualDiskVolumeSource: volumePath
apps.v1.ControllerRevision: revision
apps.v1.DaemonSetCondition: status type
apps.v1.DaemonSetSpec: selector template
apps.v1.DaemonSetStatus: currentNumberScheduled desiredNumberScheduled numberMisscheduled
  numberReady
apps.v1.DeploymentCondition: status type
apps.v1.DeploymentSpec: selector template
apps.v1.ReplicaSetCondition: status type
apps.v1.ReplicaSetSpec: selector
apps.v1.ReplicaSetStatus: replicas
apps.v1.StatefulSetCondition: status type
apps.v1.StatefulSetSpec: selector template
apps.v1.StatefulSetStatus: replicas
batch.v1.CronJob: spec
batch.v1.CronJobSpec: jobTemplate schedule
batch.v1.JobCondition: status type
batch.v1.JobSpec: template
batch.v1.PodFailurePolicy: rules
batch.v1.PodFailurePolicyOnExitCodesRequirement: operator values
batch.v1.PodFailurePolicyOnPodConditionsPattern: type
batch.v1.PodFailurePolicyRule: action
batch.v1.SuccessPolicy: rules
discovery.v1.Endpoint: addresses
discovery.v1.EndpointSlice: addressType
discovery.v1.ForNode: name
discovery.v1.ForZone: name
events.v1.Event: eventTime
events.v1.EventSeries: count lastObservedTime
autoscaling.v1.ScaleStatus: replicas
autoscaling.v1.CrossVersionObjectReference: kind name
autoscaling.v1.HorizontalPodAutoscaler: spec
autoscaling.v1.HorizontalPodAutoscalerSpec: maxReplicas scaleTargetRef
autoscaling.v1.HorizontalPodAutoscalerStatus: currentReplicas desiredReplicas
autoscaling.v2.ContainerResourceMetricSource: container name target
autoscaling.v2.ContainerResourceMetricStatus: container current name
autoscaling.v2.CrossVersionObjectReference: kind name
autoscaling.v2.ExternalMetricSource: metric target
autoscaling.v2.ExternalMetricStatus: current metric
autoscaling.v2.HPAScalingPolicy: periodSeconds type value
autoscaling.v2.HorizontalPodAutoscaler: spec
autoscaling.v2.HorizontalPodAutoscalerCondition: status type
autoscaling.v2.HorizontalPodAutoscalerSpec: maxReplicas scaleTargetRef
autoscaling.v2.HorizontalPodAutoscalerStatus: desiredReplicas
autoscaling.v2.MetricIdentifier: name
autoscaling.v2.MetricSpec: type
autoscaling.v2.MetricStatus: type
autoscaling.v2.MetricTarget: type
autoscaling.v2.ObjectMetricSource: describedObject metric target
autoscaling.v2.ObjectMetricStatus: current describedObject metric
autoscaling.v2.PodsMetricSource: metric target
autoscaling.v2.PodsMetricStatus: current metric
autoscaling.v2.ResourceMetricSource: name target
autoscaling.v2.ResourceMetricStatus: current name
certificates.v1.CertificateSigningRequest: spec
certificates.v1.CertificateSigningRequestCondition: status type
certificates.v1.CertificateSigningRequestSpec: request signerName
authentication.v1.TokenReview: spec
authentication.v1.TokenReviewSpec: token
authorization.v1.LocalSubjectAccessReview: spec
authorization.v1.NonResourceRule: verbs
authorization.v1.ResourceRule: verbs
authorization.v1.SelfSubjectAccessReview: spec
authorization.v1.SelfSubjectRulesReview: spec
authorization.v1.SubjectAccessReview: spec
authorization.v1.SubjectAccessReviewStatus: allowed
authorization.v1.SubjectRulesReviewStatus: incomplete nonResourceRules resourceRules
rbac.v1.ClusterRoleBinding: roleRef
rbac.v1.PolicyRule: verbs
rbac.v1.RoleBinding: roleRef
rbac.v1.RoleRef: kind name
rbac.v1.Subject: kind name
networking.v1.HTTPIngressPath: backend pathType
networking.v1.HTTPIngressRuleValue: paths
networking.v1.IngressPortStatus: port protocol
networking.v1.IngressServiceBackend: name
networking.v1.IPAddress: spec
networking.v1.IPAddressSpec: parentRef
networking.v1.ParentReference: name resource
networking.v1.IPBlock: cidr
networking.v1.IngressClassParametersReference: kind name
node.v1.RuntimeClass: handler
storage.v1.CSIDriver: spec
storage.v1.CSINode: spec
storage.v1.CSINodeDriver: name nodeID
storage.v1.CSINodeSpec: drivers
storage.v1.CSIStorageCapacity: storageClassName
storage.v1.StorageClass: provisioner
storage.v1.TokenRequest: audience
storage.v1.VolumeAttachment: spec
storage.v1.VolumeAttachmentSpec: attacher nodeName source
storage.v1.VolumeAttachmentStatus: attached
storage.v1.VolumeAttributesClass: driverName
admissionregistration.v1.AuditAnnotation: key valueExpression
admissionregistration.v1.ExpressionWarning: fieldRef warning
admissionregistration.v1.MatchCondition: expression name
admissionregistration.v1.MutatingWebhook: admissionReviewVersions clientConfig name sideEffects
admissionregistration.v1.Mutation: patchType
admissionregistration.v1.ServiceReference: name namespace
admissionregistration.v1.ValidatingAdmissionPolicyBinding: spec
admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec: policyName validationActions
admissionregistration.v1.ValidatingWebhook: admissionReviewVersions clientConfig name sideEffects
admissionregistration.v1.Validation: expression
admissionregistration.v1.Variable: expression name
flowcontrol.v1.FlowDistinguisherMethod: type
flowcontrol.v1.FlowSchemaSpec: priorityLevelConfiguration
flowcontrol.v1.GroupSubject: name
flowcontrol.v1.LimitResponse: type
flowcontrol.v1.NonResourcePolicyRule: nonResourceURLs verbs
flowcontrol.v1.PolicyRulesWithSubjects: subjects
flowcontrol.v1.PriorityLevelConfigurationReference: name
flowcontrol.v1.PriorityLevelConfigurationSpec: type
flowcontrol.v1.ResourcePolicyRule: apiGroups resources verbs
flowcontrol.v1.ServiceAccountSubject: name namespace
flowcontrol.v1.Subject: kind
flowcontrol.v1.UserSubject: name
resource.v1.AllocatedDeviceStatus: device driver pool
resource.v1.CELDeviceSelector: expression
resource.v1.CapacityRequestPolicyRange: min
resource.v1.Counter: value
resource.v1.CounterSet: counters name
resource.v1.Device: name
resource.v1.DeviceAllocationConfiguration: source
resource.v1.DeviceCapacity: value
resource.v1.DeviceClass: spec
resource.v1.DeviceCounterConsumption: counterSet counters
resource.v1.DeviceRequest: name
resource.v1.DeviceRequestAllocationResult: device driver pool request
resource.v1.DeviceSubRequest: deviceClassName name
resource.v1.DeviceTaint: effect key
resource.v1.ExactDeviceRequest: deviceClassName
resource.v1.OpaqueDeviceConfiguration: driver parameters
resource.v1.ResourceClaim: spec
resource.v1.ResourceClaimConsumerReference: name resource uid
resource.v1.ResourceClaimTemplate: spec
resource.v1.ResourceClaimTemplateSpec: spec
resource.v1.ResourcePool: generation name resourceSliceCount
resource.v1.ResourceSlice: spec
resource.v1.ResourceSliceSpec: driver pool
apiextensions.v1.CustomResourceColumnDefinition: name type jsonPath
apiextensions.v1.CustomResourceConversion: strategy
apiextensions.v1.CustomResourceDefinition: spec
apiextensions.v1.CustomResourceDefinitionCondition: type status
apiextensions.v1.CustomResourceDefinitionNames: plural kind
apiextensions.v1.CustomResourceDefinitionSpec: group names scope versions
apiextensions.v1.CustomResourceDefinitionVersion: name served storage
apiextensions.v1.CustomResourceSubresourceScale: specReplicasPath statusReplicasPath
apiextensions.v1.SelectableField: jsonPath
apiextensions.v1.ServiceReference: namespace name
apiextensions.v1.ValidationRule: rule
apiextensions.v1.WebhookConversion: conversionReviewVersions
apiregistration.v1.APIServiceCondition: type status
apiregistration.v1.APIServiceSpec: groupPriorityMinimum versionPriority
)";

}  // namespace

std::string_view required_facts() { return kRequiredFacts; }

}  // namespace davit
