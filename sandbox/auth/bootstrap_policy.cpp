
#include "lib/base/take_until.hpp"
#include "sandbox/auth/bootstrap_role.hpp"
#include "sandbox/auth/rbac.hpp"

namespace davit::sandbox {
namespace {

constexpr const char* kGroup = "rbac.authorization.k8s.io";
constexpr const char* kVersion = "rbac.authorization.k8s.io/v1";
constexpr std::string_view kWrite =
    "create,delete,deletecollection,patch,update";  // The verbs that edit adds to view.

using Rule = BootstrapRule;
using Role = BootstrapRole;

Json list_of(std::string_view text) {
  Json out = Json::array();
  while (!text.empty()) {
    const std::string_view item = take_until(text, ",");
    out.push_back(item == "core" ? "" : item);
  }
  return out;
}

Json rule_json(const Rule& rule) {
  Json out = Json::object({{"verbs", list_of(rule.verbs)},
                           {"apiGroups", list_of(rule.groups)},
                           {"resources", list_of(rule.resources)}});
  if (!rule.names.empty()) out.set("resourceNames", list_of(rule.names));
  return out;
}

Json head(std::string_view kind, std::string_view ns, std::string_view name) {
  Json metadata = Json::object({{"name", name}});
  if (!ns.empty()) metadata.set("namespace", ns);
  metadata.set("labels", Json::object({{"kubernetes.io/bootstrapping", "rbac-defaults"}}));
  metadata.set("annotations",
               Json::object({{"rbac.authorization.kubernetes.io/autoupdate", "true"}}));
  return Json::object(
      {{"apiVersion", kVersion}, {"kind", kind}, {"metadata", std::move(metadata)}});
}

Json subjects_json(std::string_view text) {
  Json out = Json::array();
  while (!text.empty()) {
    const std::string_view item = take_until(text, ",");
    const std::size_t colon = item.find(':');
    const std::string_view kind = item.substr(0, colon);
    const std::string_view name = item.substr(colon + 1);
    if (kind == "Account") {
      const std::size_t slash = name.find('/');
      out.push_back(Json::object({{"kind", "ServiceAccount"},
                                  {"name", name.substr(slash + 1)},
                                  {"namespace", name.substr(0, slash)}}));
    } else {
      out.push_back(Json::object({{"kind", kind}, {"apiGroup", kGroup}, {"name", name}}));
    }
  }
  return out;
}

Json binding(Json out, std::string_view role_kind, std::string_view role,
             std::string_view subjects) {
  out.set("roleRef", Json::object({{"apiGroup", kGroup}, {"kind", role_kind}, {"name", role}}));
  out.set("subjects", subjects_json(subjects));
  return out;
}

using Objects = std::vector<std::pair<Collection, Json>>;

void add_role(Objects& out, const Role& role) {
  Json object = head("ClusterRole", "", role.name);
  Json rules = Json::array();
  for (const Rule& each : role.rules) rules.push_back(rule_json(each));
  if (!role.urls.empty()) {
    const std::string_view verbs = role.urls == "*" ? "*" : "get";
    rules.push_back(
        Json::object({{"verbs", list_of(verbs)}, {"nonResourceURLs", list_of(role.urls)}}));
  }
  object.set("rules", std::move(rules));
  out.emplace_back(Collection{kGroup, "clusterroles"}, std::move(object));
  if (role.subjects.empty()) return;
  out.emplace_back(
      Collection{kGroup, "clusterrolebindings"},
      binding(head("ClusterRoleBinding", "", role.name), "ClusterRole", role.name, role.subjects));
}

constexpr std::string_view kDiscovery =
    "/api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,"
    "/openapi/*,/readyz,/version,/version/";
constexpr std::string_view kPublic = "/healthz,/livez,/readyz,/version,/version/";
constexpr std::string_view kMonitoring =
    "/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*";
constexpr std::string_view kCoreRead =
    "bindings,configmaps,endpoints,events,limitranges,namespaces,namespaces/status,"
    "persistentvolumeclaims,persistentvolumeclaims/status,pods,pods/log,pods/status,"
    "replicationcontrollers,replicationcontrollers/scale,replicationcontrollers/status,"
    "resourcequotas,resourcequotas/status,serviceaccounts,services,services/status";
constexpr std::string_view kAppsRead =
    "controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,"
    "deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,"
    "statefulsets/scale,statefulsets/status";
constexpr std::string_view kAppsWrite =
    "daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,"
    "replicasets/scale,statefulsets,statefulsets/scale";

std::vector<Role> user_roles() {
  return {
      {"cluster-admin", {{"*", "*", "*"}}, "*", "Group:system:masters"},
      {"system:discovery", {}, kDiscovery, "Group:system:authenticated"},
      {"system:public-info-viewer",
       {},
       kPublic,
       "Group:system:authenticated,Group:system:unauthenticated"},
      {"system:monitoring", {}, kMonitoring, "Group:system:monitoring"},
      {"system:basic-user",
       {{"create", "authorization.k8s.io", "selfsubjectaccessreviews,selfsubjectrulesreviews"},
        {"create", "authentication.k8s.io", "selfsubjectreviews"}},
       "",
       "Group:system:authenticated"},
      {"system:aggregate-to-view",
       {{kRead, "core", kCoreRead},
        {kRead, "apps", kAppsRead},
        {kRead, "autoscaling", "horizontalpodautoscalers,horizontalpodautoscalers/status"},
        {kRead, "batch", "cronjobs,cronjobs/status,jobs,jobs/status"},
        {kRead, "discovery.k8s.io", "endpointslices"},
        {kRead, "networking.k8s.io", "ingresses,ingresses/status,networkpolicies"},
        {kRead, "policy", "poddisruptionbudgets,poddisruptionbudgets/status"}}},
      {"system:aggregate-to-edit",
       {{kRead, "core", "pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy"},
        {"impersonate", "core", "serviceaccounts"},
        {kWrite, "core",
         "pods,pods/attach,pods/exec,pods/portforward,pods/proxy,configmaps,events,"
         "persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,"
         "serviceaccounts,services,services/proxy"},
        {"create", "core", "pods/eviction,serviceaccounts/token"},
        {kWrite, "apps", kAppsWrite},
        {kWrite, "autoscaling", "horizontalpodautoscalers"},
        {kWrite, "batch", "cronjobs,jobs"},
        {kWrite, "networking.k8s.io", "ingresses,networkpolicies"},
        {kWrite, "policy", "poddisruptionbudgets"},
        {"create,delete,deletecollection,get,list,patch,update,watch", "coordination.k8s.io",
         "leases"}}},
      {"system:aggregate-to-admin",
       {{"create", "authorization.k8s.io", "localsubjectaccessreviews"},
        {"create,delete,deletecollection,get,list,patch,update,watch", kGroup,
         "rolebindings,roles"}}},
  };
}

/// Without bindings: the set-up of a cluster makes them.
std::vector<Role> certificate_roles() {
  return {{"system:node-bootstrapper",
           {{"create,get,list,watch", "certificates.k8s.io", "certificatesigningrequests"}}},
          {"system:certificates.k8s.io:certificatesigningrequests:nodeclient",
           {{"create", "certificates.k8s.io", "certificatesigningrequests/nodeclient"}}},
          {"system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
           {{"create", "certificates.k8s.io", "certificatesigningrequests/selfnodeclient"}}},
          {"system:certificates.k8s.io:kube-apiserver-client-approver",
           {{"approve", "certificates.k8s.io", "signers", "kubernetes.io/kube-apiserver-client"}}},
          {"system:certificates.k8s.io:kube-apiserver-client-kubelet-approver",
           {{"approve", "certificates.k8s.io", "signers",
             "kubernetes.io/kube-apiserver-client-kubelet"}}},
          {"system:certificates.k8s.io:kubelet-serving-approver",
           {{"approve", "certificates.k8s.io", "signers", "kubernetes.io/kubelet-serving"}}},
          {"system:certificates.k8s.io:legacy-unknown-approver",
           {{"approve", "certificates.k8s.io", "signers", "kubernetes.io/legacy-unknown"}}}};
}

std::vector<Role> component_roles() {
  return {
      {"system:auth-delegator",
       {{"create", "authentication.k8s.io", "tokenreviews"},
        {"create", "authorization.k8s.io", "subjectaccessreviews"}}},
      {"system:node",
       {{"create", "authentication.k8s.io", "tokenreviews"},
        {"create", "authorization.k8s.io", "localsubjectaccessreviews,subjectaccessreviews"},
        {kRead, "core", "services"},
        {"create,get,list,watch", "core", "nodes"},
        {"patch,update", "core", "nodes,nodes/status"},
        {"create,patch,update", "core,events.k8s.io", "events"},
        {"create,delete,get,list,watch", "core", "pods"},
        {"patch,update", "core", "pods/status"},
        {"create", "core", "pods/eviction,serviceaccounts/token"},
        {kRead, "core", "configmaps,persistentvolumeclaims,persistentvolumes,secrets"},
        {"create,get,list,watch", "certificates.k8s.io", "certificatesigningrequests"},
        {"create,delete,get,patch,update", "coordination.k8s.io", "leases"},
        {kRead, "node.k8s.io", "runtimeclasses"},
        {"create,delete,get,patch,update", "storage.k8s.io", "csinodes"},
        {kRead, "storage.k8s.io", "csidrivers,volumeattachments"}},
       "",
       "Group:system:nodes"},
      {"system:kube-controller-manager",
       {{"create,patch,update", "core,events.k8s.io", "events"},
        {"create", "coordination.k8s.io", "leases"},
        {"get,update", "coordination.k8s.io", "leases", "kube-controller-manager"},
        {"create", "core", "secrets,serviceaccounts,serviceaccounts/token"},
        {"delete", "core", "secrets"},
        {"get", "core", "configmaps,namespaces,secrets,serviceaccounts"},
        {"update", "core", "secrets,serviceaccounts"},
        {"create", "authentication.k8s.io", "tokenreviews"},
        {"create", "authorization.k8s.io", "subjectaccessreviews"},
        {"list,watch", "*", "*"}},
       "",
       "User:system:kube-controller-manager"},
      {"system:kube-scheduler",
       {{"create,patch,update", "core,events.k8s.io", "events"},
        {"create,list,watch", "coordination.k8s.io", "leases"},
        {"get,update", "coordination.k8s.io", "leases", "kube-scheduler"},
        {kRead, "core",
         "namespaces,nodes,persistentvolumeclaims,persistentvolumes,"
         "replicationcontrollers,services"},
        {"delete,get,list,watch", "core", "pods"},
        {"create", "core", "bindings,pods/binding"},
        {"patch,update", "core", "pods/status"},
        {kRead, "apps", "replicasets,statefulsets"},
        {kRead, "policy", "poddisruptionbudgets"},
        {kRead, "storage.k8s.io",
         "csidrivers,csinodes,csistoragecapacities,storageclasses,volumeattachments"},
        {"create", "authentication.k8s.io", "tokenreviews"},
        {"create", "authorization.k8s.io", "subjectaccessreviews"}},
       "",
       "User:system:kube-scheduler"},
  };
}

/// view, edit and admin have no rules of their own, but those of the roles with their label.
void add_aggregates(Objects& out) {
  constexpr std::string_view kPrefix = "rbac.authorization.k8s.io/aggregate-to-";
  const std::pair<std::string_view, std::string_view> parts[] = {
      {"view", "edit"}, {"edit", "admin"}, {"admin", ""}};
  const auto label = [&](std::string_view name) {
    return Json::object({{std::string(kPrefix) + std::string(name), "true"}});
  };
  for (const auto& [name, part_of] : parts) {
    Json role = head("ClusterRole", "", name);
    if (!part_of.empty()) {
      role["metadata"]["labels"].set(std::string(kPrefix) + std::string(part_of), "true");
    }
    role["aggregationRule"].set("clusterRoleSelectors",
                                Json::array({Json::object({{"matchLabels", label(name)}})}));
    role.set("rules", Json::array());
    out.emplace_back(Collection{kGroup, "clusterroles"}, std::move(role));
  }
  for (auto& [collection, object] : out) {
    const std::string name = object.text_at({"metadata", "name"});
    constexpr std::string_view kSystem = "system:aggregate-to-";
    if (!name.starts_with(kSystem)) continue;
    object["metadata"]["labels"].set(std::string(kPrefix) + name.substr(kSystem.size()), "true");
  }
}

constexpr std::string_view kSystemSpace = "kube-system";

/// Adds rules that apply in one namespace only.
void add_local_role(Objects& out, std::string_view ns, std::string_view name,
                    const std::vector<Rule>& rules, std::string_view subjects) {
  Json role = head("Role", ns, name);
  for (const Rule& each : rules) role["rules"].push_back(rule_json(each));
  out.emplace_back(Collection{kGroup, "roles"}, std::move(role));
  if (subjects.empty()) return;
  out.emplace_back(Collection{kGroup, "rolebindings"},
                   binding(head("RoleBinding", ns, name), "Role", name, subjects));
}

}  // namespace

std::pair<Collection, Json> metrics_reader_role() {
  Objects out;
  add_role(out, {"system:aggregated-metrics-reader", {{kRead, "metrics.k8s.io", "pods,nodes"}}});
  Json& labels = out.front().second["metadata"]["labels"];
  for (const char* each : {"view", "edit", "admin"}) {
    labels.set(std::string("rbac.authorization.k8s.io/aggregate-to-") + each, "true");
  }
  return std::move(out.front());
}

std::vector<std::pair<Collection, Json>> bootstrap_policy() {
  Objects out;
  for (const Role& each : user_roles()) add_role(out, each);
  for (const Role& each : component_roles()) add_role(out, each);
  for (const Role& each : certificate_roles()) add_role(out, each);
  for (const Role& each : controller_roles()) add_role(out, each);
  add_aggregates(out);
  add_local_role(out, kSystemSpace, "extension-apiserver-authentication-reader",
                 {{kRead, "core", "configmaps", "extension-apiserver-authentication"}},
                 "User:system:kube-controller-manager,User:system:kube-scheduler");
  add_local_role(out, kSystemSpace, "system::leader-locking-kube-controller-manager",
                 {{"watch", "core", "configmaps"},
                  {"get,update", "core", "configmaps", "kube-controller-manager"}},
                 "User:system:kube-controller-manager,Account:kube-system/kube-controller-manager");
  add_local_role(
      out, kSystemSpace, "system::leader-locking-kube-scheduler",
      {{"watch", "core", "configmaps"}, {"get,update", "core", "configmaps", "kube-scheduler"}},
      "User:system:kube-scheduler,Account:kube-system/kube-scheduler");
  add_local_role(out, kSystemSpace, "system:controller:bootstrap-signer",
                 {{kRead, "core", "secrets"}}, "Account:kube-system/bootstrap-signer");
  add_local_role(out, kSystemSpace, "system:controller:token-cleaner",
                 {{"delete,get,list,watch", "core", "secrets"},
                  {"create,patch,update", "core,events.k8s.io", "events"}},
                 "Account:kube-system/token-cleaner");
  add_local_role(out, "kube-public", "system:controller:bootstrap-signer",
                 {{kRead, "core", "configmaps"},
                  {"update", "core", "configmaps", "cluster-info"},
                  {"create,patch,update", "core,events.k8s.io", "events"}},
                 "Account:kube-system/bootstrap-signer");
  return out;
}

}  // namespace davit::sandbox
