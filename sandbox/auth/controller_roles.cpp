// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "sandbox/auth/bootstrap_roles.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kControllerRoles = R"(
ClusterRole - system:controller:attachdetach-controller
  rule list,watch core persistentvolumeclaims,persistentvolumes
  rule get,list,watch core nodes
  rule patch,update core nodes/status
  rule list,watch core pods
  rule create,patch,update core,events.k8s.io events
  rule create,delete,get,list,watch storage.k8s.io volumeattachments
  rule get,list,watch storage.k8s.io csidrivers
  rule get,list,watch storage.k8s.io csinodes
ClusterRole - system:controller:certificate-controller
  rule delete,get,list,watch certificates.k8s.io certificatesigningrequests
  rule update certificates.k8s.io certificatesigningrequests/approval,
    certificatesigningrequests/status
  rule approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client-kubelet
  rule sign certificates.k8s.io signers kubernetes.io/kube-apiserver-client,
    kubernetes.io/kube-apiserver-client-kubelet,kubernetes.io/kubelet-serving,
    kubernetes.io/legacy-unknown
  rule create authorization.k8s.io subjectaccessreviews
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:clusterrole-aggregation-controller
  rule escalate,get,list,patch,update,watch rbac.authorization.k8s.io clusterroles
ClusterRole - system:controller:cronjob-controller
  rule get,list,update,watch batch cronjobs
  rule create,delete,get,list,patch,update,watch batch jobs
  rule update batch cronjobs/status
  rule update batch cronjobs/finalizers
  rule delete,list,watch core pods
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:daemon-set-controller
  rule get,list,watch apps,extensions daemonsets
  rule update apps,extensions daemonsets/status
  rule update apps,extensions daemonsets/finalizers
  rule list,watch core nodes
  rule create,delete,list,patch,watch core pods
  rule create core pods/binding
  rule create,delete,get,list,patch,update,watch apps controllerrevisions
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:deployment-controller
  rule get,list,update,watch apps,extensions deployments
  rule update apps,extensions deployments/status
  rule update apps,extensions deployments/finalizers
  rule create,delete,get,list,patch,update,watch apps,extensions replicasets
  rule get,list,update,watch core pods
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:device-taint-eviction-controller
  rule delete,get,list,watch core pods
  rule patch,update core pods/status
  rule get,list,watch resource.k8s.io resourceclaims
  rule get,list,watch resource.k8s.io resourceslices
  rule get,list,watch resource.k8s.io deviceclasses
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:disruption-controller
  rule get,list,watch apps,extensions deployments
  rule get,list,watch apps,extensions replicasets
  rule get,list,watch core replicationcontrollers
  rule get,list,watch policy poddisruptionbudgets
  rule get,list,watch apps statefulsets
  rule update policy poddisruptionbudgets/status
  rule patch,update core pods/status
  rule get * */scale
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:endpoint-controller
  rule get,list,watch core pods,services
  rule create,delete,get,list,update,watch core endpoints
  rule create core endpoints/restricted
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:endpointslice-controller
  rule get,list,watch core nodes,pods,services
  rule update core services/finalizers
  rule create,delete,get,list,update,watch discovery.k8s.io endpointslices
  rule create discovery.k8s.io endpointslices/restricted
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:endpointslicemirroring-controller
  rule get,list,watch core endpoints,services
  rule update core services/finalizers
  rule update core endpoints/finalizers
  rule create,delete,get,list,update,watch discovery.k8s.io endpointslices
  rule create discovery.k8s.io endpointslices/restricted
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:ephemeral-volume-controller
  rule get,list,watch core pods
  rule update core pods/finalizers
  rule create,get,list,watch core persistentvolumeclaims
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:expand-controller
  rule get,list,patch,update,watch core persistentvolumes
  rule patch,update core persistentvolumeclaims/status
  rule get,list,watch core persistentvolumeclaims
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:generic-garbage-collector
  rule delete,get,list,patch,update,watch * *
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:horizontal-pod-autoscaler
  rule get,list,watch autoscaling horizontalpodautoscalers
  rule update autoscaling horizontalpodautoscalers/status
  rule get,update * */scale
  rule list,watch core pods
  rule list,watch metrics.k8s.io pods
  rule get,list,watch custom.metrics.k8s.io *
  rule get,list,watch external.metrics.k8s.io *
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:job-controller
  rule get,list,patch,update,watch batch jobs
  rule update batch jobs/status
  rule update batch jobs/finalizers
  rule create,delete,list,patch,watch core pods
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:legacy-service-account-token-cleaner
  rule get core configmaps kube-apiserver-legacy-service-account-token-tracking
  rule delete,patch core secrets
ClusterRole - system:controller:namespace-controller
  rule delete,get,list,watch core namespaces
  rule update core namespaces/finalize,namespaces/status
  rule delete,deletecollection,get,list,watch * *
ClusterRole - system:controller:node-controller
  rule delete,get,list,patch,update,watch core nodes
  rule patch,update core nodes/status
  rule patch,update core pods/status
  rule delete,get,list,watch core pods
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:persistent-volume-binder
  rule create,delete,get,list,update,watch core persistentvolumes
  rule update core persistentvolumes/status
  rule get,list,update,watch core persistentvolumeclaims
  rule update core persistentvolumeclaims/status
  rule create,delete,get,list,watch core pods
  rule get,list,watch storage.k8s.io storageclasses
  rule list,watch core nodes
  rule create,patch,update core,events.k8s.io events
  rule watch core events
ClusterRole - system:controller:pod-garbage-collector
  rule delete,list,watch core pods
  rule get,list,watch core nodes
  rule patch core pods/status
ClusterRole - system:controller:pv-protection-controller
  rule get,list,update,watch core persistentvolumes
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:pvc-protection-controller
  rule get,list,update,watch core persistentvolumeclaims
  rule update core persistentvolumeclaims/status
  rule get,list,watch core pods
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:replicaset-controller
  rule get,list,update,watch apps,extensions replicasets
  rule update apps,extensions replicasets/status
  rule update apps,extensions replicasets/finalizers
  rule create,delete,list,patch,watch core pods
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:replication-controller
  rule get,list,update,watch core replicationcontrollers
  rule update core replicationcontrollers/status
  rule update core replicationcontrollers/finalizers
  rule create,delete,list,patch,watch core pods
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:resource-claim-controller
  rule get,list,watch core pods
  rule update core pods/finalizers
  rule create,delete,get,list,watch resource.k8s.io resourceclaims
  rule patch,update resource.k8s.io resourceclaims,resourceclaims/status
  rule patch,update core pods/status
  rule create,patch,update core,events.k8s.io events
  rule patch,update resource.k8s.io resourceclaims/binding
ClusterRole - system:controller:resourcequota-controller
  rule list,watch * *
  rule update core resourcequotas/status
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:root-ca-cert-publisher
  rule create,update core configmaps
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:route-controller
  rule list,watch core nodes
  rule patch core nodes/status
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:selinux-warning-controller
  rule create,patch,update core,events.k8s.io events
  rule get,list,watch core persistentvolumes
  rule get,list,watch core persistentvolumeclaims
  rule get,list,watch core pods
  rule get,list,watch storage.k8s.io csidrivers
ClusterRole - system:controller:service-account-controller
  rule create core serviceaccounts
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:service-cidrs-controller
  rule get,list,patch,update,watch networking.k8s.io servicecidrs
  rule patch,update networking.k8s.io servicecidrs/finalizers
  rule patch,update networking.k8s.io servicecidrs/status
  rule get,list,watch networking.k8s.io ipaddresses
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:service-controller
  rule get,list,watch core services
  rule patch,update core services/status
  rule list,watch core nodes
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:statefulset-controller
  rule list,watch core pods
  rule get,list,watch apps statefulsets
  rule update apps statefulsets/status
  rule update apps statefulsets/finalizers
  rule create,delete,get,patch,update core pods
  rule create,delete,get,list,patch,update,watch apps controllerrevisions
  rule create,get,list,watch core persistentvolumeclaims
  rule delete,update core persistentvolumeclaims
  rule update core pods/finalizers
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:ttl-after-finished-controller
  rule delete,get,list,watch batch jobs
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:ttl-controller
  rule list,patch,update,watch core nodes
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:validatingadmissionpolicy-status-controller
  rule get,list,watch admissionregistration.k8s.io validatingadmissionpolicies
  rule get,patch,update admissionregistration.k8s.io validatingadmissionpolicies/status
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:controller:volumeattributesclass-protection-controller
  rule get,list,watch core persistentvolumeclaims
  rule get,list,watch core persistentvolumes
  rule get,list,update,watch storage.k8s.io volumeattributesclasses
  rule create,patch,update core,events.k8s.io events
ClusterRoleBinding - system:controller:attachdetach-controller
  gives ClusterRole system:controller:attachdetach-controller
  to ServiceAccount kube-system/attachdetach-controller
ClusterRoleBinding - system:controller:certificate-controller
  gives ClusterRole system:controller:certificate-controller
  to ServiceAccount kube-system/certificate-controller
ClusterRoleBinding - system:controller:clusterrole-aggregation-controller
  gives ClusterRole system:controller:clusterrole-aggregation-controller
  to ServiceAccount kube-system/clusterrole-aggregation-controller
ClusterRoleBinding - system:controller:cronjob-controller
  gives ClusterRole system:controller:cronjob-controller
  to ServiceAccount kube-system/cronjob-controller
ClusterRoleBinding - system:controller:daemon-set-controller
  gives ClusterRole system:controller:daemon-set-controller
  to ServiceAccount kube-system/daemon-set-controller
ClusterRoleBinding - system:controller:deployment-controller
  gives ClusterRole system:controller:deployment-controller
  to ServiceAccount kube-system/deployment-controller
ClusterRoleBinding - system:controller:device-taint-eviction-controller
  gives ClusterRole system:controller:device-taint-eviction-controller
  to ServiceAccount kube-system/device-taint-eviction-controller
ClusterRoleBinding - system:controller:disruption-controller
  gives ClusterRole system:controller:disruption-controller
  to ServiceAccount kube-system/disruption-controller
ClusterRoleBinding - system:controller:endpoint-controller
  gives ClusterRole system:controller:endpoint-controller
  to ServiceAccount kube-system/endpoint-controller
ClusterRoleBinding - system:controller:endpointslice-controller
  gives ClusterRole system:controller:endpointslice-controller
  to ServiceAccount kube-system/endpointslice-controller
ClusterRoleBinding - system:controller:endpointslicemirroring-controller
  gives ClusterRole system:controller:endpointslicemirroring-controller
  to ServiceAccount kube-system/endpointslicemirroring-controller
ClusterRoleBinding - system:controller:ephemeral-volume-controller
  gives ClusterRole system:controller:ephemeral-volume-controller
  to ServiceAccount kube-system/ephemeral-volume-controller
ClusterRoleBinding - system:controller:expand-controller
  gives ClusterRole system:controller:expand-controller
  to ServiceAccount kube-system/expand-controller
ClusterRoleBinding - system:controller:generic-garbage-collector
  gives ClusterRole system:controller:generic-garbage-collector
  to ServiceAccount kube-system/generic-garbage-collector
ClusterRoleBinding - system:controller:horizontal-pod-autoscaler
  gives ClusterRole system:controller:horizontal-pod-autoscaler
  to ServiceAccount kube-system/horizontal-pod-autoscaler
ClusterRoleBinding - system:controller:job-controller
  gives ClusterRole system:controller:job-controller
  to ServiceAccount kube-system/job-controller
ClusterRoleBinding - system:controller:legacy-service-account-token-cleaner
  gives ClusterRole system:controller:legacy-service-account-token-cleaner
  to ServiceAccount kube-system/legacy-service-account-token-cleaner
ClusterRoleBinding - system:controller:namespace-controller
  gives ClusterRole system:controller:namespace-controller
  to ServiceAccount kube-system/namespace-controller
ClusterRoleBinding - system:controller:node-controller
  gives ClusterRole system:controller:node-controller
  to ServiceAccount kube-system/node-controller
ClusterRoleBinding - system:controller:persistent-volume-binder
  gives ClusterRole system:controller:persistent-volume-binder
  to ServiceAccount kube-system/persistent-volume-binder
ClusterRoleBinding - system:controller:pod-garbage-collector
  gives ClusterRole system:controller:pod-garbage-collector
  to ServiceAccount kube-system/pod-garbage-collector
ClusterRoleBinding - system:controller:pv-protection-controller
  gives ClusterRole system:controller:pv-protection-controller
  to ServiceAccount kube-system/pv-protection-controller
ClusterRoleBinding - system:controller:pvc-protection-controller
  gives ClusterRole system:controller:pvc-protection-controller
  to ServiceAccount kube-system/pvc-protection-controller
ClusterRoleBinding - system:controller:replicaset-controller
  gives ClusterRole system:controller:replicaset-controller
  to ServiceAccount kube-system/replicaset-controller
ClusterRoleBinding - system:controller:replication-controller
  gives ClusterRole system:controller:replication-controller
  to ServiceAccount kube-system/replication-controller
ClusterRoleBinding - system:controller:resource-claim-controller
  gives ClusterRole system:controller:resource-claim-controller
  to ServiceAccount kube-system/resource-claim-controller
ClusterRoleBinding - system:controller:resourcequota-controller
  gives ClusterRole system:controller:resourcequota-controller
  to ServiceAccount kube-system/resourcequota-controller
ClusterRoleBinding - system:controller:root-ca-cert-publisher
  gives ClusterRole system:controller:root-ca-cert-publisher
  to ServiceAccount kube-system/root-ca-cert-publisher
ClusterRoleBinding - system:controller:route-controller
  gives ClusterRole system:controller:route-controller
  to ServiceAccount kube-system/route-controller
ClusterRoleBinding - system:controller:selinux-warning-controller
  gives ClusterRole system:controller:selinux-warning-controller
  to ServiceAccount kube-system/selinux-warning-controller
ClusterRoleBinding - system:controller:service-account-controller
  gives ClusterRole system:controller:service-account-controller
  to ServiceAccount kube-system/service-account-controller
ClusterRoleBinding - system:controller:service-cidrs-controller
  gives ClusterRole system:controller:service-cidrs-controller
  to ServiceAccount kube-system/service-cidrs-controller
ClusterRoleBinding - system:controller:service-controller
  gives ClusterRole system:controller:service-controller
  to ServiceAccount kube-system/service-controller
ClusterRoleBinding - system:controller:statefulset-controller
  gives ClusterRole system:controller:statefulset-controller
  to ServiceAccount kube-system/statefulset-controller
ClusterRoleBinding - system:controller:ttl-after-finished-controller
  gives ClusterRole system:controller:ttl-after-finished-controller
  to ServiceAccount kube-system/ttl-after-finished-controller
ClusterRoleBinding - system:controller:ttl-controller
  gives ClusterRole system:controller:ttl-controller
  to ServiceAccount kube-system/ttl-controller
ClusterRoleBinding - system:controller:validatingadmissionpolicy-status-controller
  gives ClusterRole system:controller:validatingadmissionpolicy-status-controller
  to ServiceAccount kube-system/validatingadmissionpolicy-status-controller
ClusterRoleBinding - system:controller:volumeattributesclass-protection-controller
  gives ClusterRole system:controller:volumeattributesclass-protection-controller
  to ServiceAccount kube-system/volumeattributesclass-protection-controller
)";

}  // namespace

std::string_view controller_roles() { return kControllerRoles; }

}  // namespace davit::sandbox
