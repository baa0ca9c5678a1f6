#include "sandbox/schema/merge_facts.hpp"

namespace davit::sandbox {

namespace {

// clang-format off
constexpr MergeFact kMergeFacts[] = {
    {"meta.v1.ObjectMeta", "ownerReferences", "uid", "map uid"},
    {"meta.v1.ObjectMeta", "finalizers", "primitives", "set"},
    {"core.v1.PodSpec", "containers initContainers ephemeralContainers", "name", "map name"},
    {"core.v1.PodSpec", "volumes resourceClaims", "name retainKeys", "map name"},
    {"core.v1.PodSpec", "imagePullSecrets schedulingGates", "name", "map name"},
    {"core.v1.PodSpec", "hostAliases", "ip", "map ip"},
    {"core.v1.PodSpec", "topologySpreadConstraints", "topologyKey",
     "map topologyKey whenUnsatisfiable"},
    {"core.v1.PodSpec", "nodeSelector", "", "atomic"},
    {"core.v1.Container", "env", "name", "map name"},
    {"core.v1.Container", "ports", "containerPort", "map containerPort protocol"},
    {"core.v1.Container", "volumeMounts", "mountPath", "map mountPath"},
    {"core.v1.Container", "volumeDevices", "devicePath", "map devicePath"},
    {"core.v1.EphemeralContainerCommon", "env", "name", "map name"},
    {"core.v1.EphemeralContainerCommon", "ports", "containerPort", "map containerPort protocol"},
    {"core.v1.EphemeralContainerCommon", "volumeMounts", "mountPath", "map mountPath"},
    {"core.v1.EphemeralContainerCommon", "volumeDevices", "devicePath", "map devicePath"},
    {"core.v1.ResourceRequirements", "claims", "", "map name"},
    {"core.v1.PodStatus", "conditions", "type", "map type"},
    {"core.v1.PodStatus", "podIPs", "ip", "map ip"},
    {"core.v1.PodStatus", "hostIPs", "ip", "atomic"},
    {"core.v1.ContainerStatus", "volumeMounts", "mountPath", "map mountPath"},
    {"core.v1.ContainerStatus", "allocatedResourcesStatus", "name", "map name"},
    {"core.v1.ReplicationControllerSpec", "selector", "", "atomic"},
    {"core.v1.ReplicationControllerStatus", "conditions", "type", "map type"},
    {"core.v1.ServiceSpec", "ports", "port", "map port protocol"},
    {"core.v1.ServiceSpec", "selector", "", "atomic"},
    {"core.v1.ServiceStatus", "conditions", "type", "map type"},
    {"core.v1.ServiceAccount", "secrets", "name", "map name"},
    {"core.v1.NodeSpec", "podCIDRs", "primitives", "set"},
    {"core.v1.NodeStatus", "conditions addresses", "type", "map type"},
    {"core.v1.NamespaceStatus", "conditions", "type", "map type"},
    {"core.v1.PersistentVolumeClaimStatus", "conditions", "type", "map type"},
    {"apps.v1.DeploymentSpec", "strategy", "retainKeys", ""},
    {"apps.v1.DeploymentStatus", "conditions", "type", "map type"},
    {"apps.v1.ReplicaSetStatus", "conditions", "type", "map type"},
    {"apps.v1.StatefulSetStatus", "conditions", "type", "map type"},
    {"apps.v1.DaemonSetStatus", "conditions", "type", "map type"},
    {"batch.v1.JobStatus", "conditions", "type", "atomic"},
    {"policy.v1.PodDisruptionBudgetSpec", "selector", "replace", ""},
    {"policy.v1.PodDisruptionBudgetStatus", "conditions", "type", "map type"},
    {"discovery.v1.Endpoint", "addresses", "", "set"},
    {"autoscaling.v2.HorizontalPodAutoscalerStatus", "conditions", "type", "map type"},
    {"certificates.v1.CertificateSigningRequestStatus", "conditions", "", "map type"},
    {"storage.v1.CSINodeSpec", "drivers", "name", "map name"},

    {"meta.v1.LabelSelector", "", "", "atomic"},
    {"meta.v1.OwnerReference", "", "", "atomic"},
    {"core.v1.LocalObjectReference", "", "", "atomic"},
    {"core.v1.ObjectReference", "", "", "atomic"},
    {"core.v1.ObjectFieldSelector", "", "", "atomic"},
    {"core.v1.ResourceFieldSelector", "", "", "atomic"},
    {"core.v1.ConfigMapKeySelector", "", "", "atomic"},
    {"core.v1.SecretKeySelector", "", "", "atomic"},
    {"core.v1.TypedLocalObjectReference", "", "", "atomic"},
    {"core.v1.SecretReference", "", "", "atomic"},
    {"core.v1.TopologySelectorTerm", "", "", "atomic"},
    {"autoscaling.v1.CrossVersionObjectReference", "", "", "atomic"},
    {"core.v1.NodeSelector", "", "", "atomic"},
    {"core.v1.NodeSelectorTerm", "", "", "atomic"},
    {"core.v1.EndpointAddress", "", "", "atomic"},
    {"core.v1.EndpointPort", "", "", "atomic"},
    {"discovery.v1.EndpointPort", "", "", "atomic"},
};
// clang-format on

}  // namespace

std::span<const MergeFact> merge_facts() { return kMergeFacts; }

}  // namespace davit::sandbox
