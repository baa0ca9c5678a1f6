#include "sandbox/kinds/builtin_table.hpp"

#include "sandbox/kinds/cluster_rules.hpp"
#include "sandbox/kinds/config_rules.hpp"
#include "sandbox/kinds/event_rules.hpp"
#include "sandbox/kinds/network_rules.hpp"
#include "sandbox/kinds/workload_rules.hpp"

namespace davit::sandbox {

namespace {

// One row a resource and one line a row, so that rows can be compared by eye. Fields at their
// default are left out.
// clang-format off
constexpr ResourceRow kRows[] = {
    {.version = "v1", .name = "bindings", .kind = "Binding", .traits = kCreateOnly},
    {.version = "v1", .name = "configmaps", .kind = "ConfigMap", .short_names = "cm",
     .rules = config_map_rules},
    {.version = "v1", .name = "endpoints", .kind = "Endpoints", .short_names = "ep",
     .traits = kCreateOnUpdate, .rules = endpoints_rules},
    {.version = "v1", .name = "events", .kind = "Event", .short_names = "ev",
     .traits = kCreateOnUpdate, .names = NameRule::kPathSegment, .rules = core_event_rules},
    {.version = "v1", .name = "limitranges", .kind = "LimitRange", .short_names = "limits",
     .traits = kCreateOnUpdate, .rules = limit_range_rules},
    {.version = "v1", .name = "namespaces", .kind = "Namespace", .short_names = "ns",
     .subresources = "finalize status",
     .traits = kClusterScoped | kHasStatus | kDeleteReturnsObject | kNoDeleteCollection,
     .names = NameRule::kLabel, .rules = namespace_rules},
    {.version = "v1", .name = "nodes", .kind = "Node", .short_names = "no",
     .subresources = "proxy status", .traits = kClusterScoped | kHasStatus | kKeepsStatusOnCreate,
     .rules = node_rules},
    {.version = "v1", .name = "persistentvolumeclaims", .kind = "PersistentVolumeClaim",
     .short_names = "pvc", .subresources = "status", .traits = kHasStatus | kDeleteReturnsObject,
     .rules = claim_rules},
    {.version = "v1", .name = "persistentvolumes", .kind = "PersistentVolume",
     .short_names = "pv", .subresources = "status",
     .traits = kClusterScoped | kHasStatus | kDeleteReturnsObject, .rules = volume_rules},
    {.version = "v1", .name = "pods", .kind = "Pod", .short_names = "po", .categories = "all",
     .subresources = "attach binding ephemeralcontainers eviction exec log portforward proxy "
                     "resize status",
     .traits = kHasStatus | kHasGeneration | kDeleteReturnsObject | kGracefulDeletion,
     .rules = pod_rules},
    {.version = "v1", .name = "podtemplates", .kind = "PodTemplate",
     .traits = kDeleteReturnsObject,
     .rules = pod_template_rules},
    {.version = "v1", .name = "replicationcontrollers", .kind = "ReplicationController",
     .short_names = "rc", .categories = "all", .subresources = "scale status",
     .traits = kHasStatus | kHasGeneration | kOrphansByDefault,
     .rules = replication_controller_rules},
    {.version = "v1", .name = "resourcequotas", .kind = "ResourceQuota", .short_names = "quota",
     .subresources = "status", .traits = kHasStatus | kDeleteReturnsObject, .rules = quota_rules},
    {.version = "v1", .name = "secrets", .kind = "Secret", .rules = secret_rules},
    {.version = "v1", .name = "serviceaccounts", .kind = "ServiceAccount", .short_names = "sa",
     .subresources = "token", .traits = kDeleteReturnsObject},
    {.version = "v1", .name = "services", .kind = "Service", .short_names = "svc",
     .categories = "all", .subresources = "proxy status",
     .traits = kHasStatus | kCreateOnUpdate | kDeleteReturnsObject, .names = NameRule::kLabel,
     .rules = service_rules},

    {.group = "apps", .version = "v1", .name = "controllerrevisions",
     .kind = "ControllerRevision",
     .rules = controller_revision_rules},
    {.group = "apps", .version = "v1", .name = "daemonsets", .kind = "DaemonSet",
     .short_names = "ds", .categories = "all", .subresources = "status",
     .traits = kHasStatus | kHasGeneration,
     .rules = daemon_set_rules},
    {.group = "apps", .version = "v1", .name = "deployments", .kind = "Deployment",
     .short_names = "deploy", .categories = "all", .subresources = "scale status",
     .traits = kHasStatus | kHasGeneration,
     .rules = deployment_rules},
    {.group = "apps", .version = "v1", .name = "replicasets", .kind = "ReplicaSet",
     .short_names = "rs", .categories = "all", .subresources = "scale status",
     .traits = kHasStatus | kHasGeneration,
     .rules = replica_set_rules},
    {.group = "apps", .version = "v1", .name = "statefulsets", .kind = "StatefulSet",
     .short_names = "sts", .categories = "all", .subresources = "scale status",
     .traits = kHasStatus | kHasGeneration, .names = NameRule::kLabel,
     .rules = stateful_set_rules},

    {.group = "events.k8s.io", .version = "v1", .name = "events", .kind = "Event",
     .short_names = "ev", .traits = kCreateOnUpdate, .names = NameRule::kPathSegment,
     .rules = event_rules, .stored_in = "core"},

    {.group = "authentication.k8s.io", .version = "v1", .name = "selfsubjectreviews",
     .kind = "SelfSubjectReview", .traits = kClusterScoped | kCreateOnly},
    {.group = "authentication.k8s.io", .version = "v1", .name = "tokenreviews",
     .kind = "TokenReview", .traits = kClusterScoped | kCreateOnly},

    {.group = "authorization.k8s.io", .version = "v1", .name = "localsubjectaccessreviews",
     .kind = "LocalSubjectAccessReview", .traits = kCreateOnly},
    {.group = "authorization.k8s.io", .version = "v1", .name = "selfsubjectaccessreviews",
     .kind = "SelfSubjectAccessReview", .traits = kClusterScoped | kCreateOnly},
    {.group = "authorization.k8s.io", .version = "v1", .name = "selfsubjectrulesreviews",
     .kind = "SelfSubjectRulesReview", .traits = kClusterScoped | kCreateOnly},
    {.group = "authorization.k8s.io", .version = "v1", .name = "subjectaccessreviews",
     .kind = "SubjectAccessReview", .traits = kClusterScoped | kCreateOnly},

    {.group = "autoscaling", .version = "v2", .name = "horizontalpodautoscalers",
     .kind = "HorizontalPodAutoscaler", .short_names = "hpa", .categories = "all",
     .subresources = "status", .traits = kHasStatus, .rules = autoscaler_rules},
    {.group = "autoscaling", .version = "v1", .name = "horizontalpodautoscalers",
     .kind = "HorizontalPodAutoscaler", .short_names = "hpa", .categories = "all",
     .subresources = "status", .traits = kHasStatus, .rules = autoscaler_v1_rules},

    {.group = "batch", .version = "v1", .name = "cronjobs", .kind = "CronJob",
     .short_names = "cj", .categories = "all", .subresources = "status",
     .traits = kHasStatus | kHasGeneration,
     .rules = cron_job_rules},
    {.group = "batch", .version = "v1", .name = "jobs", .kind = "Job", .categories = "all",
     .subresources = "status", .traits = kHasStatus | kHasGeneration | kOrphansByDefault,
     .rules = job_rules},

    {.group = "certificates.k8s.io", .version = "v1", .name = "certificatesigningrequests",
     .kind = "CertificateSigningRequest", .short_names = "csr", .subresources = "approval status",
     .traits = kClusterScoped | kHasStatus, .names = NameRule::kPathSegment,
     .rules = signing_request_rules},

    {.group = "networking.k8s.io", .version = "v1", .name = "ingressclasses",
     .kind = "IngressClass", .traits = kClusterScoped},
    {.group = "networking.k8s.io", .version = "v1", .name = "ingresses", .kind = "Ingress",
     .short_names = "ing", .subresources = "status", .traits = kHasStatus | kHasGeneration,
     .rules = ingress_rules},
    {.group = "networking.k8s.io", .version = "v1", .name = "networkpolicies",
     .kind = "NetworkPolicy", .short_names = "netpol", .traits = kHasGeneration,
     .rules = network_policy_rules},

    {.group = "policy", .version = "v1", .name = "poddisruptionbudgets",
     .kind = "PodDisruptionBudget", .short_names = "pdb", .subresources = "status",
     .traits = kHasStatus | kHasGeneration | kNeedsResourceVersion,
     .rules = disruption_budget_rules},

    {.group = "rbac.authorization.k8s.io", .version = "v1", .name = "clusterrolebindings",
     .kind = "ClusterRoleBinding", .traits = kClusterScoped | kCreateOnUpdate,
     .names = NameRule::kPathSegment, .rules = role_binding_rules},
    {.group = "rbac.authorization.k8s.io", .version = "v1", .name = "clusterroles",
     .kind = "ClusterRole", .traits = kClusterScoped | kCreateOnUpdate,
     .names = NameRule::kPathSegment, .rules = role_rules},
    {.group = "rbac.authorization.k8s.io", .version = "v1", .name = "rolebindings",
     .kind = "RoleBinding", .traits = kCreateOnUpdate, .names = NameRule::kPathSegment,
     .rules = role_binding_rules},
    {.group = "rbac.authorization.k8s.io", .version = "v1", .name = "roles", .kind = "Role",
     .traits = kCreateOnUpdate, .names = NameRule::kPathSegment, .rules = role_rules},

    {.group = "storage.k8s.io", .version = "v1", .name = "csidrivers", .kind = "CSIDriver",
     .traits = kClusterScoped | kNeedsResourceVersion | kDeleteReturnsObject},
    {.group = "storage.k8s.io", .version = "v1", .name = "csinodes", .kind = "CSINode",
     .traits = kClusterScoped | kNeedsResourceVersion | kDeleteReturnsObject},
    {.group = "storage.k8s.io", .version = "v1", .name = "storageclasses", .kind = "StorageClass",
     .short_names = "sc", .traits = kClusterScoped | kDeleteReturnsObject,
     .rules = storage_class_rules},
    {.group = "storage.k8s.io", .version = "v1", .name = "volumeattachments",
     .kind = "VolumeAttachment", .subresources = "status",
     .traits = kClusterScoped | kHasStatus | kNeedsResourceVersion | kDeleteReturnsObject},

    {.group = "apiextensions.k8s.io", .version = "v1", .name = "customresourcedefinitions",
     .kind = "CustomResourceDefinition", .short_names = "crd crds",
     .categories = "api-extensions", .subresources = "status",
     .traits = kClusterScoped | kHasStatus | kHasGeneration | kNeedsResourceVersion},

    {.group = "scheduling.k8s.io", .version = "v1", .name = "priorityclasses",
     .kind = "PriorityClass", .short_names = "pc", .traits = kClusterScoped,
     .rules = priority_class_rules},

    {.group = "coordination.k8s.io", .version = "v1", .name = "leases", .kind = "Lease",
     .traits = kCreateOnUpdate | kNeedsResourceVersion, .rules = lease_rules},

    {.group = "node.k8s.io", .version = "v1", .name = "runtimeclasses", .kind = "RuntimeClass",
     .traits = kClusterScoped | kCreateOnUpdate | kNeedsResourceVersion},

    {.group = "discovery.k8s.io", .version = "v1", .name = "endpointslices",
     .kind = "EndpointSlice", .traits = kHasGeneration, .rules = endpoint_slice_rules},
};
// clang-format on

}  // namespace

std::span<const ResourceRow> resource_rows() { return kRows; }

}  // namespace davit::sandbox
