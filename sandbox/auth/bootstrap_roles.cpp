// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "sandbox/auth/bootstrap_roles.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kBootstrapRoles = R"(
ClusterRole - admin
  consists-of admin
ClusterRole - cluster-admin
  rule * * *
  urls * *
ClusterRole - edit
  part-of admin
  consists-of edit
ClusterRole - system:aggregate-to-admin
  part-of admin
  rule create authorization.k8s.io localsubjectaccessreviews
  rule create,delete,deletecollection,get,list,patch,update,
    watch rbac.authorization.k8s.io rolebindings,roles
ClusterRole - system:aggregate-to-edit
  part-of edit
  rule get,list,watch core pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,
    services/proxy
  rule impersonate core serviceaccounts
  rule create,delete,deletecollection,patch,update core pods,pods/attach,pods/exec,
    pods/portforward,pods/proxy
  rule create core pods/eviction
  rule create,delete,deletecollection,patch,update core configmaps,persistentvolumeclaims,
    replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,
    services/proxy
  rule create core serviceaccounts/token
  rule create,delete,deletecollection,patch,update core,events.k8s.io events
  rule create,delete,deletecollection,patch,update apps daemonsets,deployments,
    deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,
    statefulsets/scale
  rule create,delete,deletecollection,patch,update autoscaling horizontalpodautoscalers
  rule create,delete,deletecollection,patch,update batch cronjobs,jobs
  rule create,delete,deletecollection,patch,update extensions daemonsets,deployments,
    deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,
    replicasets/scale,replicationcontrollers/scale
  rule create,delete,deletecollection,patch,update policy poddisruptionbudgets
  rule create,delete,deletecollection,patch,update networking.k8s.io ingresses,
    networkpolicies
  rule create,delete,deletecollection,get,list,patch,update,
    watch coordination.k8s.io leases
  rule create,delete,deletecollection,patch,update resource.k8s.io resourceclaims,
    resourceclaimtemplates
ClusterRole - system:aggregate-to-view
  part-of view
  rule get,list,watch core configmaps,endpoints,persistentvolumeclaims,
    persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,
    serviceaccounts,services,services/status
  rule get,list,watch core bindings,limitranges,namespaces/status,pods/log,pods/status,
    replicationcontrollers/status,resourcequotas,resourcequotas/status
  rule get,list,watch core namespaces
  rule get,list,watch core,events.k8s.io events
  rule get,list,watch discovery.k8s.io endpointslices
  rule get,list,watch apps controllerrevisions,daemonsets,daemonsets/status,deployments,
    deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,
    statefulsets,statefulsets/scale,statefulsets/status
  rule get,list,watch autoscaling horizontalpodautoscalers,horizontalpodautoscalers/status
  rule get,list,watch batch cronjobs,cronjobs/status,jobs,jobs/status
  rule get,list,watch extensions daemonsets,daemonsets/status,deployments,deployments/scale,
    deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,
    replicasets/scale,replicasets/status,replicationcontrollers/scale
  rule get,list,watch policy poddisruptionbudgets,poddisruptionbudgets/status
  rule get,list,watch networking.k8s.io ingresses,ingresses/status,networkpolicies
  rule get,list,watch resource.k8s.io resourceclaims,resourceclaims/status,
    resourceclaimtemplates
ClusterRole - system:auth-delegator
  rule create authentication.k8s.io tokenreviews
  rule create authorization.k8s.io subjectaccessreviews
ClusterRole - system:basic-user
  rule create authorization.k8s.io selfsubjectaccessreviews,selfsubjectrulesreviews
  rule create authentication.k8s.io selfsubjectreviews
ClusterRole - system:certificates.k8s.io:certificatesigningrequests:nodeclient
  rule create certificates.k8s.io certificatesigningrequests/nodeclient
ClusterRole - system:certificates.k8s.io:certificatesigningrequests:selfnodeclient
  rule create certificates.k8s.io certificatesigningrequests/selfnodeclient
ClusterRole - system:certificates.k8s.io:kube-apiserver-client-approver
  rule approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client
ClusterRole - system:certificates.k8s.io:kube-apiserver-client-kubelet-approver
  rule approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client-kubelet
ClusterRole - system:certificates.k8s.io:kubelet-serving-approver
  rule approve certificates.k8s.io signers kubernetes.io/kubelet-serving
ClusterRole - system:certificates.k8s.io:legacy-unknown-approver
  rule approve certificates.k8s.io signers kubernetes.io/legacy-unknown
ClusterRole - system:discovery
  urls get /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,
    /version,/version/
ClusterRole - system:heapster
  rule get,list,watch core events,namespaces,nodes,pods
  rule get,list,watch extensions deployments
ClusterRole - system:kube-aggregator
  rule get,list,watch core endpoints,services
ClusterRole - system:kube-controller-manager
  rule create,patch,update core,events.k8s.io events
  rule create coordination.k8s.io leases
  rule get,update coordination.k8s.io leases kube-controller-manager
  rule create core secrets,serviceaccounts
  rule delete core secrets
  rule get core configmaps,namespaces,secrets,serviceaccounts
  rule update core secrets,serviceaccounts
  rule create authentication.k8s.io tokenreviews
  rule create authorization.k8s.io subjectaccessreviews
  rule list,watch * *
  rule create core serviceaccounts/token
ClusterRole - system:kube-dns
  rule list,watch core endpoints,services
ClusterRole - system:kube-scheduler
  rule create,patch,update core,events.k8s.io events
  rule create coordination.k8s.io leases
  rule get,list,update,watch coordination.k8s.io leases kube-scheduler
  rule create,delete,deletecollection,get,list,patch,update,
    watch coordination.k8s.io leasecandidates
  rule get,list,watch core nodes
  rule delete,get,list,watch core pods
  rule create core bindings,pods/binding
  rule patch,update core pods/status
  rule get,list,watch core replicationcontrollers,services
  rule get,list,watch apps,extensions replicasets
  rule get,list,watch apps statefulsets
  rule get,list,watch policy poddisruptionbudgets
  rule get,list,watch core persistentvolumeclaims,persistentvolumes
  rule create authentication.k8s.io tokenreviews
  rule create authorization.k8s.io subjectaccessreviews
  rule get,list,watch storage.k8s.io csinodes
  rule get,list,watch storage.k8s.io volumeattachments
  rule get,list,watch core namespaces
  rule get,list,watch storage.k8s.io csidrivers
  rule get,list,watch storage.k8s.io csistoragecapacities
  rule get,list,watch resource.k8s.io deviceclasses
  rule get,list,patch,update,watch resource.k8s.io resourceclaims
  rule get,list,patch,update,watch resource.k8s.io resourceclaims/status
  rule update core pods/finalizers
  rule get,list,watch resource.k8s.io resourceslices
  rule create,delete resource.k8s.io resourceclaims
  rule patch,update resource.k8s.io resourceclaims/binding
ClusterRole - system:kubelet-api-admin
  rule get,list,watch core nodes
  rule proxy core nodes
  rule * core nodes/log,nodes/metrics,nodes/proxy,nodes/stats
  rule * core nodes/configz,nodes/healthz,nodes/pods
ClusterRole - system:monitoring
  urls get /flagz,/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,
    /readyz/*,/statusz
  rule get core nodes/metrics
ClusterRole - system:node
  rule create authentication.k8s.io tokenreviews
  rule create authorization.k8s.io localsubjectaccessreviews,subjectaccessreviews
  rule get,list,watch core services
  rule create,get,list,watch core nodes
  rule patch,update core nodes/status
  rule patch,update core nodes
  rule create,patch,update core,events.k8s.io events
  rule get,list,watch core pods
  rule create,delete core pods
  rule patch,update core pods/status
  rule create core pods/eviction
  rule get,list,watch core configmaps,secrets
  rule get core persistentvolumeclaims,persistentvolumes
  rule get core endpoints
  rule create,get,list,watch certificates.k8s.io certificatesigningrequests
  rule create,delete,get,patch,update coordination.k8s.io leases
  rule get storage.k8s.io volumeattachments
  rule create core serviceaccounts/token
  rule get,patch,update core persistentvolumeclaims/status
  rule get,list,watch storage.k8s.io csidrivers
  rule create,delete,get,patch,update storage.k8s.io csinodes
  rule get,list,watch node.k8s.io runtimeclasses
  rule get resource.k8s.io resourceclaims
  rule deletecollection resource.k8s.io resourceslices
  rule get core serviceaccounts
ClusterRole - system:node-bootstrapper
  rule create,get,list,watch certificates.k8s.io certificatesigningrequests
ClusterRole - system:node-problem-detector
  rule get core nodes
  rule patch core nodes/status
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:node-proxier
  rule list,watch core endpoints,services
  rule get,list,watch core nodes
  rule create,patch,update core,events.k8s.io events
  rule list,watch networking.k8s.io servicecidrs
  rule list,watch discovery.k8s.io endpointslices
ClusterRole - system:persistent-volume-provisioner
  rule create,delete,get,list,watch core persistentvolumes
  rule get,list,update,watch core persistentvolumeclaims
  rule get,list,watch storage.k8s.io storageclasses
  rule watch core events
  rule create,patch,update core,events.k8s.io events
ClusterRole - system:public-info-viewer
  urls get /healthz,/livez,/readyz,/version,/version/
ClusterRole - system:service-account-issuer-discovery
  urls get /.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,
    /openid/v1/jwks/
ClusterRole - system:volume-scheduler
  rule get,list,patch,update,watch core persistentvolumes
  rule get,list,watch storage.k8s.io storageclasses
  rule get,list,patch,update,watch core persistentvolumeclaims
ClusterRole - view
  part-of edit
  consists-of view
ClusterRoleBinding - cluster-admin
  gives ClusterRole cluster-admin
  to Group system:masters
ClusterRoleBinding - system:basic-user
  gives ClusterRole system:basic-user
  to Group system:authenticated
ClusterRoleBinding - system:discovery
  gives ClusterRole system:discovery
  to Group system:authenticated
ClusterRoleBinding - system:kube-controller-manager
  gives ClusterRole system:kube-controller-manager
  to User system:kube-controller-manager
ClusterRoleBinding - system:kube-dns
  gives ClusterRole system:kube-dns
  to ServiceAccount kube-system/kube-dns
ClusterRoleBinding - system:kube-scheduler
  gives ClusterRole system:kube-scheduler
  to User system:kube-scheduler
ClusterRoleBinding - system:monitoring
  gives ClusterRole system:monitoring
  to Group system:monitoring
ClusterRoleBinding - system:node
  gives ClusterRole system:node
  to Group system:nodes
ClusterRoleBinding - system:node-proxier
  gives ClusterRole system:node-proxier
  to User system:kube-proxy
ClusterRoleBinding - system:public-info-viewer
  gives ClusterRole system:public-info-viewer
  to Group system:authenticated
  to Group system:unauthenticated
ClusterRoleBinding - system:service-account-issuer-discovery
  gives ClusterRole system:service-account-issuer-discovery
  to Group system:serviceaccounts
ClusterRoleBinding - system:volume-scheduler
  gives ClusterRole system:volume-scheduler
  to User system:kube-scheduler
Role kube-public system:controller:bootstrap-signer
  rule get,list,watch core configmaps
  rule update core configmaps cluster-info
  rule create,patch,update core,events.k8s.io events
Role kube-system extension-apiserver-authentication-reader
  rule get,list,watch core configmaps extension-apiserver-authentication
Role kube-system system::leader-locking-kube-controller-manager
  rule create,get,list,update,watch coordination.k8s.io leases
  rule create,get,list,update,watch coordination.k8s.io leasecandidates
Role kube-system system::leader-locking-kube-scheduler
  rule create,get,list,update,watch coordination.k8s.io leases
  rule create,get,list,update,watch coordination.k8s.io leasecandidates
Role kube-system system:controller:bootstrap-signer
  rule get,list,watch core secrets
Role kube-system system:controller:cloud-provider
  rule create,get,list,watch core configmaps
Role kube-system system:controller:token-cleaner
  rule delete,get,list,watch core secrets
  rule create,patch,update core,events.k8s.io events
RoleBinding kube-public system:controller:bootstrap-signer
  gives Role system:controller:bootstrap-signer
  to ServiceAccount kube-system/bootstrap-signer
RoleBinding kube-system system::extension-apiserver-authentication-reader
  gives Role extension-apiserver-authentication-reader
  to User system:kube-controller-manager
  to User system:kube-scheduler
RoleBinding kube-system system::leader-locking-kube-controller-manager
  gives Role system::leader-locking-kube-controller-manager
  to User system:kube-controller-manager
  to ServiceAccount kube-system/kube-controller-manager
  to ServiceAccount kube-system/leader-election-controller
RoleBinding kube-system system::leader-locking-kube-scheduler
  gives Role system::leader-locking-kube-scheduler
  to User system:kube-scheduler
  to ServiceAccount kube-system/kube-scheduler
RoleBinding kube-system system:controller:bootstrap-signer
  gives Role system:controller:bootstrap-signer
  to ServiceAccount kube-system/bootstrap-signer
RoleBinding kube-system system:controller:cloud-provider
  gives Role system:controller:cloud-provider
  to ServiceAccount kube-system/cloud-provider
RoleBinding kube-system system:controller:token-cleaner
  gives Role system:controller:token-cleaner
  to ServiceAccount kube-system/token-cleaner
)";

}  // namespace

std::string_view bootstrap_roles() { return kBootstrapRoles; }

}  // namespace davit::sandbox
