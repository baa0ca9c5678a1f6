#include <utility>

#include "sandbox/auth/bootstrap_role.hpp"

namespace davit::sandbox {
namespace {

using Rule = BootstrapRule;

struct ControllerRole {
  std::string_view name;
  std::vector<Rule> rules;
};

std::vector<ControllerRole> workload_controllers() {
  return {
      {"deployment-controller",
       {{"get,list,update,watch", "apps", "deployments"},
        {"update", "apps", "deployments/finalizers,deployments/status"},
        {"create,delete,get,list,patch,update,watch", "apps", "replicasets"},
        {"get,list,update,watch", "core", "pods"}}},
      {"replicaset-controller",
       {{"get,list,update,watch", "apps", "replicasets"},
        {"update", "apps", "replicasets/finalizers,replicasets/status"},
        {"create,delete,list,patch,watch", "core", "pods"}}},
      {"replication-controller",
       {{"get,list,update,watch", "core", "replicationcontrollers"},
        {"update", "core", "replicationcontrollers/finalizers,replicationcontrollers/status"},
        {"create,delete,list,patch,watch", "core", "pods"}}},
      {"statefulset-controller",
       {{"list,watch", "core", "pods"},
        {kRead, "apps", "statefulsets"},
        {"update", "apps", "statefulsets/finalizers,statefulsets/status"},
        {"create,delete,get,patch,update", "core", "pods"},
        {"create,delete,get,list,patch,update,watch", "apps", "controllerrevisions"},
        {"create,delete,get,list,update,watch", "core", "persistentvolumeclaims"}}},
      {"daemon-set-controller",
       {{kRead, "apps", "daemonsets"},
        {"update", "apps", "daemonsets/finalizers,daemonsets/status"},
        {"list,watch", "core", "nodes"},
        {"create,delete,list,patch,watch", "core", "pods"},
        {"create", "core", "pods/binding"},
        {"create,delete,get,list,patch,update,watch", "apps", "controllerrevisions"}}},
      {"job-controller",
       {{"get,list,patch,update,watch", "batch", "jobs"},
        {"update", "batch", "jobs/finalizers,jobs/status"},
        {"create,delete,list,patch,watch", "core", "pods"}}},
      {"cronjob-controller",
       {{"get,list,update,watch", "batch", "cronjobs"},
        {"create,delete,get,list,patch,update,watch", "batch", "jobs"},
        {"update", "batch", "cronjobs/finalizers,cronjobs/status"},
        {"delete,list", "core", "pods"}}},
      {"ttl-after-finished-controller", {{"delete,get,list,watch", "batch", "jobs"}}},
      {"horizontal-pod-autoscaler",
       {{kRead, "autoscaling", "horizontalpodautoscalers"},
        {"update", "autoscaling", "horizontalpodautoscalers/status"},
        {"get,update", "*", "*/scale"},
        {"list,watch", "core", "pods"},
        {"list,watch", "metrics.k8s.io", "pods"},
        {"get,list,watch", "custom.metrics.k8s.io", "*"},
        {"get,list,watch", "external.metrics.k8s.io", "*"}}},
      {"disruption-controller",
       {{kRead, "apps", "deployments,replicasets,statefulsets"},
        {kRead, "core", "replicationcontrollers"},
        {kRead, "policy", "poddisruptionbudgets"},
        {"update", "policy", "poddisruptionbudgets/status"},
        {"patch,update", "core", "pods/status"},
        {"get", "*", "*/scale"},
        {kRead, "core", "pods"}}},
  };
}

std::vector<ControllerRole> cluster_controllers() {
  return {
      {"endpoint-controller",
       {{kRead, "core", "pods,services"},
        {"create,delete,get,list,update,watch", "core", "endpoints"},
        {"create", "core", "endpoints/restricted"}}},
      {"endpointslice-controller",
       {{kRead, "core", "nodes,pods,services"},
        {"update", "core", "services/finalizers"},
        {"create,delete,get,list,update,watch", "discovery.k8s.io", "endpointslices"}}},
      {"endpointslicemirroring-controller",
       {{kRead, "core", "endpoints,services"},
        {"update", "core", "endpoints/finalizers,services/finalizers"},
        {"create,delete,get,list,update,watch", "discovery.k8s.io", "endpointslices"}}},
      {"node-controller",
       {{"delete,get,list,patch,update,watch", "core", "nodes"},
        {"patch,update", "core", "nodes/status"},
        {"patch,update", "core", "pods/status"},
        {"delete,get,list,watch", "core", "pods"},
        {kRead, "coordination.k8s.io", "leases"}}},
      {"namespace-controller",
       {{"delete,get,list,watch", "core", "namespaces"},
        {"update", "core", "namespaces/finalize,namespaces/status"},
        {"delete,deletecollection,get,list", "*", "*"}}},
      {"generic-garbage-collector", {{"delete,get,list,patch,update,watch", "*", "*"}}},
      {"pod-garbage-collector",
       {{"delete,list,watch", "core", "pods"},
        {"get,list,watch", "core", "nodes"},
        {"patch,update", "core", "pods/status"}}},
      {"resourcequota-controller",
       {{"list,watch", "*", "*"}, {"update", "core", "resourcequotas/status"}}},
      {"service-account-controller", {{"create", "core", "serviceaccounts"}}},
      {"root-ca-cert-publisher", {{"create,update", "core", "configmaps"}}},
      {"clusterrole-aggregation-controller",
       {{"escalate,get,list,patch,update,watch", "rbac.authorization.k8s.io", "clusterroles"}}},
      {"ttl-controller", {{"list,patch,update,watch", "core", "nodes"}}},
      {"certificate-controller",
       {{"delete,get,list,watch", "certificates.k8s.io", "certificatesigningrequests"},
        {"update", "certificates.k8s.io",
         "certificatesigningrequests/approval,certificatesigningrequests/status"},
        {"approve", "certificates.k8s.io", "signers",
         "kubernetes.io/kube-apiserver-client-kubelet"},
        {"sign", "certificates.k8s.io", "signers",
         "kubernetes.io/kube-apiserver-client,kubernetes.io/kube-apiserver-client-kubelet,"
         "kubernetes.io/kubelet-serving,kubernetes.io/legacy-unknown"},
        {"create", "authorization.k8s.io", "subjectaccessreviews"}}},
  };
}

std::vector<ControllerRole> storage_controllers() {
  return {
      {"persistent-volume-binder",
       {{"create,delete,get,list,update,watch", "core", "persistentvolumes"},
        {"update", "core", "persistentvolumeclaims/status,persistentvolumes/status"},
        {"get,list,update,watch", "core", "persistentvolumeclaims"},
        {kRead, "storage.k8s.io", "storageclasses"},
        {"create,delete,get,list,watch", "core", "pods"}}},
      {"pvc-protection-controller",
       {{"get,list,update,watch", "core", "persistentvolumeclaims"}, {kRead, "core", "pods"}}},
      {"pv-protection-controller", {{"get,list,update,watch", "core", "persistentvolumes"}}},
      {"attachdetach-controller",
       {{"list,watch", "core", "persistentvolumeclaims,persistentvolumes,pods"},
        {kRead, "core", "nodes"},
        {"patch,update", "core", "nodes/status"},
        {"create,delete,get,list,watch", "storage.k8s.io", "volumeattachments"}}},
      {"expand-controller",
       {{"get,list,patch,update,watch", "core", "persistentvolumes"},
        {"patch,update", "core", "persistentvolumeclaims/status"},
        {kRead, "core", "persistentvolumeclaims"}}},
  };
}

}  // namespace

std::vector<BootstrapRole> controller_roles() {
  std::vector<BootstrapRole> out;
  for (std::vector<ControllerRole> part :
       {workload_controllers(), cluster_controllers(), storage_controllers()}) {
    for (ControllerRole& each : part) {
      each.rules.push_back({"create,patch,update", "core,events.k8s.io", "events"});
      const std::string name(each.name);
      out.push_back(
          {"system:controller:" + name, std::move(each.rules), "", "Account:kube-system/" + name});
    }
  }
  return out;
}

}  // namespace davit::sandbox
