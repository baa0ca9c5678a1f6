// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/required_facts.hpp"

namespace davit {

namespace {

constexpr std::string_view kRequiredFacts = R"(
admissionregistration.v1.AuditAnnotation: key valueExpression
admissionregistration.v1.ExpressionWarning: fieldRef warning
admissionregistration.v1.MatchCondition: name expression
admissionregistration.v1.MutatingWebhook: name clientConfig sideEffects admissionReviewVersions
admissionregistration.v1.Mutation: patchType
admissionregistration.v1.ServiceReference: namespace name
admissionregistration.v1.ValidatingAdmissionPolicyBinding: spec
admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec: policyName validationActions
admissionregistration.v1.ValidatingWebhook: name clientConfig sideEffects admissionReviewVersions
admissionregistration.v1.Validation: expression
admissionregistration.v1.Variable: name expression
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
apps.v1.ControllerRevision: revision
apps.v1.DaemonSetCondition: type status
apps.v1.DaemonSetSpec: selector template
apps.v1.DaemonSetStatus: currentNumberScheduled numberMisscheduled desiredNumberScheduled
  numberReady
apps.v1.DeploymentCondition: type status
apps.v1.DeploymentSpec: selector template
apps.v1.ReplicaSetCondition: type status
apps.v1.ReplicaSetSpec: selector
apps.v1.ReplicaSetStatus: replicas
apps.v1.StatefulSetCondition: type status
apps.v1.StatefulSetSpec: selector template
apps.v1.StatefulSetStatus: replicas
authentication.v1.TokenReview: spec
authentication.v1.TokenReviewSpec: token
authorization.v1.LocalSubjectAccessReview: spec
authorization.v1.NonResourceRule: verbs
authorization.v1.ResourceRule: verbs
authorization.v1.SelfSubjectAccessReview: spec
authorization.v1.SelfSubjectRulesReview: spec
authorization.v1.SubjectAccessReview: spec
authorization.v1.SubjectAccessReviewStatus: allowed
authorization.v1.SubjectRulesReviewStatus: resourceRules nonResourceRules incomplete
autoscaling.v1.CrossVersionObjectReference: kind name
autoscaling.v1.HorizontalPodAutoscaler: spec
autoscaling.v1.HorizontalPodAutoscalerSpec: scaleTargetRef maxReplicas
autoscaling.v1.HorizontalPodAutoscalerStatus: currentReplicas desiredReplicas
autoscaling.v1.ScaleStatus: replicas
autoscaling.v2.ContainerResourceMetricSource: name target container
autoscaling.v2.ContainerResourceMetricStatus: name current container
autoscaling.v2.CrossVersionObjectReference: kind name
autoscaling.v2.ExternalMetricSource: metric target
autoscaling.v2.ExternalMetricStatus: metric current
autoscaling.v2.HPAScalingPolicy: type value periodSeconds
autoscaling.v2.HorizontalPodAutoscaler: spec
autoscaling.v2.HorizontalPodAutoscalerCondition: type status
autoscaling.v2.HorizontalPodAutoscalerSpec: scaleTargetRef maxReplicas
autoscaling.v2.HorizontalPodAutoscalerStatus: desiredReplicas
autoscaling.v2.MetricIdentifier: name
autoscaling.v2.MetricSpec: type
autoscaling.v2.MetricStatus: type
autoscaling.v2.MetricTarget: type
autoscaling.v2.ObjectMetricSource: describedObject target metric
autoscaling.v2.ObjectMetricStatus: metric current describedObject
autoscaling.v2.PodsMetricSource: metric target
autoscaling.v2.PodsMetricStatus: metric current
autoscaling.v2.ResourceMetricSource: name target
autoscaling.v2.ResourceMetricStatus: name current
batch.v1.CronJob: spec
batch.v1.CronJobSpec: schedule jobTemplate
batch.v1.JobCondition: type status
batch.v1.JobSpec: template
batch.v1.PodFailurePolicy: rules
batch.v1.PodFailurePolicyOnExitCodesRequirement: operator values
batch.v1.PodFailurePolicyOnPodConditionsPattern: type
batch.v1.PodFailurePolicyRule: action
batch.v1.SuccessPolicy: rules
certificates.v1.CertificateSigningRequest: spec
certificates.v1.CertificateSigningRequestCondition: type status
certificates.v1.CertificateSigningRequestSpec: request signerName
core.v1.AWSElasticBlockStoreVolumeSource: volumeID
core.v1.AppArmorProfile: type
core.v1.AttachedVolume: name devicePath
core.v1.AzureDiskVolumeSource: diskName diskURI
core.v1.AzureFilePersistentVolumeSource: secretName shareName
core.v1.AzureFileVolumeSource: secretName shareName
core.v1.Binding: target
core.v1.CSIPersistentVolumeSource: driver volumeHandle
core.v1.CSIVolumeSource: driver
core.v1.CephFSPersistentVolumeSource: monitors
core.v1.CephFSVolumeSource: monitors
core.v1.CinderPersistentVolumeSource: volumeID
core.v1.CinderVolumeSource: volumeID
core.v1.ClusterTrustBundleProjection: path
core.v1.ComponentCondition: type status
core.v1.ConfigMapKeySelector: key
core.v1.ConfigMapNodeConfigSource: namespace name kubeletConfigKey
core.v1.Container: name
core.v1.ContainerExtendedResourceRequest: containerName resourceName requestName
core.v1.ContainerPort: containerPort
core.v1.ContainerResizePolicy: resourceName restartPolicy
core.v1.ContainerRestartRule: action
core.v1.ContainerRestartRuleOnExitCodes: operator
core.v1.ContainerStateTerminated: exitCode
core.v1.ContainerStatus: name ready restartCount image imageID
core.v1.DaemonEndpoint: Port
core.v1.DownwardAPIVolumeFile: path
core.v1.EndpointAddress: ip
core.v1.EndpointPort: port
core.v1.EnvVar: name
core.v1.EphemeralContainer: name
core.v1.Event: metadata involvedObject
core.v1.FileKeySelector: volumeName path key
core.v1.FlexPersistentVolumeSource: driver
core.v1.FlexVolumeSource: driver
core.v1.GCEPersistentDiskVolumeSource: pdName
core.v1.GRPCAction: port
core.v1.GitRepoVolumeSource: repository
core.v1.GlusterfsPersistentVolumeSource: endpoints path
core.v1.GlusterfsVolumeSource: endpoints path
core.v1.HTTPGetAction: port
core.v1.HTTPHeader: name value
core.v1.HostAlias: ip
core.v1.HostIP: ip
core.v1.HostPathVolumeSource: path
core.v1.ISCSIPersistentVolumeSource: targetPortal iqn lun
core.v1.ISCSIVolumeSource: targetPortal iqn lun
core.v1.ImageVolumeStatus: imageRef
core.v1.KeyToPath: key path
core.v1.LimitRangeItem: type
core.v1.LimitRangeSpec: limits
core.v1.LinuxContainerUser: uid gid
core.v1.LocalVolumeSource: path
core.v1.ModifyVolumeStatus: status
core.v1.NFSVolumeSource: server path
core.v1.NamespaceCondition: type status
core.v1.NodeAddress: type address
core.v1.NodeAllocatableResourceClaimStatus: resourceClaimName resources
core.v1.NodeCondition: type status
core.v1.NodeSelector: nodeSelectorTerms
core.v1.NodeSelectorRequirement: key operator
core.v1.NodeSystemInfo: machineID systemUUID bootID kernelVersion osImage containerRuntimeVersion
  kubeletVersion kubeProxyVersion operatingSystem architecture
core.v1.ObjectFieldSelector: fieldPath
core.v1.PersistentVolumeClaimCondition: type status
core.v1.PersistentVolumeClaimTemplate: spec
core.v1.PersistentVolumeClaimVolumeSource: claimName
core.v1.PhotonPersistentDiskVolumeSource: pdID
core.v1.PodAffinityTerm: topologyKey
core.v1.PodCertificateProjection: signerName keyType
core.v1.PodCondition: type status
core.v1.PodExtendedResourceClaimStatus: requestMappings resourceClaimName
core.v1.PodIP: ip
core.v1.PodOS: name
core.v1.PodReadinessGate: conditionType
core.v1.PodResourceClaim: name
core.v1.PodResourceClaimStatus: name
core.v1.PodSchedulingGate: name
core.v1.PodSpec: containers
core.v1.PortStatus: port protocol
core.v1.PortworxVolumeSource: volumeID
core.v1.PreferredSchedulingTerm: weight preference
core.v1.QuobyteVolumeSource: registry volume
core.v1.RBDPersistentVolumeSource: monitors image
core.v1.RBDVolumeSource: monitors image
core.v1.ReplicationControllerCondition: type status
core.v1.ReplicationControllerStatus: replicas
core.v1.ResourceClaim: name
core.v1.ResourceFieldSelector: resource
core.v1.ResourceHealth: resourceID
core.v1.ResourceStatus: name
core.v1.ScaleIOPersistentVolumeSource: gateway system secretRef
core.v1.ScaleIOVolumeSource: gateway system secretRef
core.v1.ScopedResourceSelectorRequirement: scopeName operator
core.v1.SeccompProfile: type
core.v1.SecretKeySelector: key
core.v1.ServiceAccountTokenProjection: path
core.v1.ServicePort: port
core.v1.SleepAction: seconds
core.v1.Sysctl: name value
core.v1.TCPSocketAction: port
core.v1.Taint: key effect
core.v1.TopologySelectorLabelRequirement: key values
core.v1.TopologySpreadConstraint: maxSkew topologyKey whenUnsatisfiable
core.v1.TypedLocalObjectReference: kind name
core.v1.TypedObjectReference: kind name
core.v1.Volume: name
core.v1.VolumeDevice: name devicePath
core.v1.VolumeMount: name mountPath
core.v1.VolumeMountStatus: name mountPath
core.v1.VsphereVirtualDiskVolumeSource: volumePath
core.v1.WeightedPodAffinityTerm: weight podAffinityTerm
discovery.v1.Endpoint: addresses
discovery.v1.EndpointSlice: addressType
discovery.v1.ForNode: name
discovery.v1.ForZone: name
events.v1.Event: eventTime
events.v1.EventSeries: count lastObservedTime
flowcontrol.v1.FlowDistinguisherMethod: type
flowcontrol.v1.FlowSchemaSpec: priorityLevelConfiguration
flowcontrol.v1.GroupSubject: name
flowcontrol.v1.LimitResponse: type
flowcontrol.v1.NonResourcePolicyRule: verbs nonResourceURLs
flowcontrol.v1.PolicyRulesWithSubjects: subjects
flowcontrol.v1.PriorityLevelConfigurationReference: name
flowcontrol.v1.PriorityLevelConfigurationSpec: type
flowcontrol.v1.ResourcePolicyRule: verbs apiGroups resources
flowcontrol.v1.ServiceAccountSubject: namespace name
flowcontrol.v1.Subject: kind
flowcontrol.v1.UserSubject: name
meta.v1.Condition: type status lastTransitionTime reason message
meta.v1.FieldSelectorRequirement: key operator
meta.v1.LabelSelectorRequirement: key operator
meta.v1.OwnerReference: apiVersion kind name uid
meta.v1.ShardInfo: selector
networking.v1.HTTPIngressPath: pathType backend
networking.v1.HTTPIngressRuleValue: paths
networking.v1.IPAddress: spec
networking.v1.IPAddressSpec: parentRef
networking.v1.IPBlock: cidr
networking.v1.IngressClassParametersReference: kind name
networking.v1.IngressPortStatus: port protocol
networking.v1.IngressServiceBackend: name
networking.v1.ParentReference: resource name
node.v1.RuntimeClass: handler
rbac.v1.ClusterRoleBinding: roleRef
rbac.v1.PolicyRule: verbs
rbac.v1.RoleBinding: roleRef
rbac.v1.RoleRef: kind name
rbac.v1.Subject: kind name
resource.v1.AllocatedDeviceStatus: driver pool device
resource.v1.CELDeviceSelector: expression
resource.v1.CapacityRequestPolicyRange: min
resource.v1.Counter: value
resource.v1.CounterSet: name counters
resource.v1.Device: name
resource.v1.DeviceAllocationConfiguration: source
resource.v1.DeviceCapacity: value
resource.v1.DeviceClass: spec
resource.v1.DeviceCounterConsumption: counterSet counters
resource.v1.DeviceRequest: name
resource.v1.DeviceRequestAllocationResult: request driver pool device
resource.v1.DeviceSubRequest: name deviceClassName
resource.v1.DeviceTaint: key effect
resource.v1.ExactDeviceRequest: deviceClassName
resource.v1.OpaqueDeviceConfiguration: driver parameters
resource.v1.ResourceClaim: spec
resource.v1.ResourceClaimConsumerReference: resource name uid
resource.v1.ResourceClaimTemplate: spec
resource.v1.ResourceClaimTemplateSpec: spec
resource.v1.ResourcePool: name generation resourceSliceCount
resource.v1.ResourceSlice: spec
resource.v1.ResourceSliceSpec: driver pool
resource.v1beta2.DeviceTaint: key effect
resource.v1beta2.DeviceTaintRule: spec
resource.v1beta2.DeviceTaintRuleSpec: taint
storage.v1.CSIDriver: spec
storage.v1.CSINode: spec
storage.v1.CSINodeDriver: name nodeID
storage.v1.CSINodeSpec: drivers
storage.v1.CSIStorageCapacity: storageClassName
storage.v1.StorageClass: provisioner
storage.v1.TokenRequest: audience
storage.v1.VolumeAttachment: spec
storage.v1.VolumeAttachmentSpec: attacher source nodeName
storage.v1.VolumeAttachmentStatus: attached
storage.v1.VolumeAttributesClass: driverName
)";

}  // namespace

std::string_view required_facts() { return kRequiredFacts; }

}  // namespace davit
