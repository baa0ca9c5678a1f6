// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "sandbox/kinds/columns.hpp"

namespace davit::sandbox {

namespace {

// clang-format off
constexpr KindColumns kKindColumns[] = {
    {"", "componentstatuses", "Name n|Status s|Message s|Error s"},
    {"", "configmaps", "Name n|Data s|Age s"},
    {"", "endpoints", "Name n|Endpoints s|Age s"},
    {"", "events",
     "Last Seen s|Type s|Reason s|Object s|Subobject s*|Source s*|Message s|First Seen s*|Count "
     "s*|Name n*"},
    {"", "namespaces", "Name n|Status s|Age s"},
    {"", "nodes",
     "Name n|Status s|Roles s|Age s|Version s|Internal-IP s*|External-IP s*|OS-Image "
     "s*|Kernel-Version s*|Container-Runtime s*"},
    {"", "persistentvolumeclaims",
     "Name n|Status s|Volume s|Capacity s|Access Modes s|StorageClass s|VolumeAttributesClass "
     "s|Age s|VolumeMode s*"},
    {"", "persistentvolumes",
     "Name n|Capacity s|Access Modes s|Reclaim Policy s|Status s|Claim s|StorageClass "
     "s|VolumeAttributesClass s|Reason s|Age s|VolumeMode s*"},
    {"", "pods",
     "Name n|Ready s|Status s|Restarts s|Age s|IP s*|Node s*|Nominated Node s*|Readiness Gates s*"},
    {"", "podtemplates", "Name n|Containers s|Images s|Pod Labels s"},
    {"", "replicationcontrollers",
     "Name n|Desired i|Current i|Ready i|Age s|Containers s*|Images s*|Selector s*"},
    {"", "resourcequotas", "Name n|Request s|Limit s|Age s"},
    {"", "secrets", "Name n|Type s|Data s|Age s"},
    {"", "serviceaccounts", "Name n|Age s"},
    {"", "services", "Name n|Type s|Cluster-IP s|External-IP s|Port(s) s|Age s|Selector s*"},
    {"admissionregistration.k8s.io", "mutatingadmissionpolicies",
     "Name n|Mutations i|ParamKind s|Age s"},
    {"admissionregistration.k8s.io", "mutatingadmissionpolicybindings",
     "Name n|PolicyName s|ParamRef s|Age s"},
    {"admissionregistration.k8s.io", "mutatingwebhookconfigurations", "Name n|Webhooks i|Age s"},
    {"admissionregistration.k8s.io", "validatingadmissionpolicies",
     "Name n|Validations i|ParamKind s|Age s"},
    {"admissionregistration.k8s.io", "validatingadmissionpolicybindings",
     "Name n|PolicyName s|ParamRef s|Age s"},
    {"admissionregistration.k8s.io", "validatingwebhookconfigurations", "Name n|Webhooks i|Age s"},
    {"apiregistration.k8s.io", "apiservices", "Name n|Service s|Available s|Age s"},
    {"apps", "controllerrevisions", "Name n|Controller s|Revision s|Age s"},
    {"apps", "daemonsets",
     "Name n|Desired i|Current i|Ready i|Up-to-date i|Available i|Node Selector s|Age s|Containers "
     "s*|Images s*|Selector s*"},
    {"apps", "deployments",
     "Name n|Ready s|Up-to-date s|Available s|Age s|Containers s*|Images s*|Selector s*"},
    {"apps", "replicasets",
     "Name n|Desired i|Current i|Ready i|Age s|Containers s*|Images s*|Selector s*"},
    {"apps", "statefulsets", "Name n|Ready s|Age s|Containers s*|Images s*"},
    {"autoscaling", "horizontalpodautoscalers",
     "Name n|Reference s|Targets s|MinPods s|MaxPods s|Replicas s|Age s"},
    {"batch", "cronjobs",
     "Name n|Schedule s|Timezone s|Suspend b|Active i|Last Schedule s|Age s|Containers s*|Images "
     "s*|Selector s*"},
    {"batch", "jobs",
     "Name n|Status s|Completions s|Duration s|Age s|Containers s*|Images s*|Selector s*"},
    {"certificates.k8s.io", "certificatesigningrequests",
     "Name n|Age s|SignerName s|Requestor s|RequestedDuration s|Condition s"},
    {"coordination.k8s.io", "leases", "Name n|Holder s|Age s"},
    {"discovery.k8s.io", "endpointslices", "Name n|AddressType s|Ports s|Endpoints s|Age s"},
    {"events.k8s.io", "events",
     "Last Seen s|Type s|Reason s|Object s|Subobject s*|Source s*|Message s|First Seen s*|Count "
     "s*|Name n*"},
    {"flowcontrol.apiserver.k8s.io", "flowschemas",
     "Name n|PriorityLevel s|MatchingPrecedence s|DistinguisherMethod s|Age s|MissingPL s"},
    {"flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations",
     "Name n|Type s|NominalConcurrencyShares s|Queues s|HandSize s|QueueLengthLimit s|Age s"},
    {"networking.k8s.io", "ingressclasses", "Name n|Controller s|Parameters s|Age s"},
    {"networking.k8s.io", "ingresses", "Name n|Class s|Hosts s|Address s|Ports s|Age s"},
    {"networking.k8s.io", "ipaddresses", "Name n|ParentRef s"},
    {"networking.k8s.io", "networkpolicies", "Name n|Pod-Selector s|Age s"},
    {"networking.k8s.io", "servicecidrs", "Name n|CIDRs s|Age s"},
    {"node.k8s.io", "runtimeclasses", "Name n|Handler s|Age s"},
    {"policy", "poddisruptionbudgets",
     "Name n|Min Available s|Max Unavailable s|Allowed Disruptions i|Age s"},
    {"rbac.authorization.k8s.io", "clusterrolebindings",
     "Name n|Role s|Age s|Users s*|Groups s*|ServiceAccounts s*"},
    {"rbac.authorization.k8s.io", "rolebindings",
     "Name n|Role s|Age s|Users s*|Groups s*|ServiceAccounts s*"},
    {"resource.k8s.io", "deviceclasses", "Name n|Age s"},
    {"resource.k8s.io", "devicetaintrules", "Name n|Key s|Value s|Effect s|TimeAdded s|Age s"},
    {"resource.k8s.io", "resourceclaims", "Name n|State s|Age s"},
    {"resource.k8s.io", "resourceclaimtemplates", "Name n|Age s"},
    {"resource.k8s.io", "resourceslices", "Name n|Node s|Driver s|Pool s|Age s"},
    {"scheduling.k8s.io", "priorityclasses",
     "Name n|Value i|Global-Default b|Age s|PreemptionPolicy s"},
    {"storage.k8s.io", "csidrivers",
     "Name n|AttachRequired b|PodInfoOnMount b|StorageCapacity b|TokenRequests s|RequiresRepublish "
     "b|Modes s|Age s"},
    {"storage.k8s.io", "csinodes", "Name n|Drivers i|Age s"},
    {"storage.k8s.io", "storageclasses",
     "Name n|Provisioner s|ReclaimPolicy s|VolumeBindingMode s|AllowVolumeExpansion s|Age s"},
    {"storage.k8s.io", "volumeattachments", "Name n|Attacher n|PV s|Node s|Attached b|Age s"},
    {"storage.k8s.io", "volumeattributesclasses", "Name n|DriverName s|Age s"},
};
// clang-format on

}  // namespace

std::span<const KindColumns> kind_columns() { return kKindColumns; }

}  // namespace davit::sandbox
