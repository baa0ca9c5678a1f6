#include "cli/rbac_command.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>

#include "cli/controllers_flag.hpp"
#include "cli/desired_state.hpp"
#include "cli/exit_codes.hpp"
#include "cli/options.hpp"
#include "cli/upstream/controllers.hpp"
#include "cli/upstream_clients.hpp"
#include "host/api/service_account_token.hpp"
#include "host/config/kubeconfig.hpp"
#include "host/plugin/catalog.hpp"
#include "host/plugin/declared_config.hpp"
#include "host/serving/client_trust.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/text_file.hpp"
#include "lib/net/certificate_pool.hpp"

namespace davit::host {
namespace {

constexpr const char* kRbacGroup = "rbac.authorization.k8s.io";
/// In the order that people write them.
constexpr const char* kVerbOrder[] = {"get",    "list",  "watch",  "create",
                                      "update", "patch", "delete", "deletecollection"};

/// The objects of a rule, without its verbs.
struct Object {
  std::string group;
  std::string resource;            // "pods", "deployments/status", "*".
  std::vector<std::string> names;  // Empty: all.

  auto operator<=>(const Object&) const = default;
};

/// The rights in one namespace, or of the cluster.
struct Rights {
  std::map<Object, std::set<std::string>> verbs;
  std::map<std::string, std::set<std::string>> url_verbs;
};

/// Keyed by namespace; "" is the cluster.
using RightsByNamespace = std::map<std::string, Rights>;

void add(RightsByNamespace& out, const std::vector<std::string>& namespaces, const Object& object,
         const std::vector<std::string>& verbs) {
  const auto add_to = [&](const std::string& ns) {
    out[ns].verbs[object].insert(verbs.begin(), verbs.end());
  };
  if (namespaces.empty()) return add_to("");
  for (const std::string& ns : namespaces) add_to(ns);
}

std::string with_subresource(const DeclaredRule& rule) {
  return rule.subresource.empty() ? rule.resource : rule.resource + "/" + rule.subresource;
}

void add_rules(RightsByNamespace& rights, const DeclaredController& controller) {
  for (const DeclaredRule& rule : controller.rules) {
    for (const std::string& url : rule.non_resource_urls) {
      rights[""].url_verbs[url].insert(rule.verbs.begin(), rule.verbs.end());
    }
    if (rule.resource.empty()) continue;
    std::vector<std::string> names = rule.resource_names;
    std::sort(names.begin(), names.end());
    add(rights, rule.namespaces, {rule.group, with_subresource(rule), std::move(names)},
        rule.verbs);
  }
}

void add_watches(RightsByNamespace& rights, const DeclaredController& controller) {
  for (const DeclaredWatch& watch : controller.watches) {
    add(rights, watch.namespaces, {watch.group, watch.resource, {}}, {"get", "list", "watch"});
  }
}

/// Events are written by the controllers and by the host, and repeats of one as patches.
void add_events(RightsByNamespace& rights) {
  for (const char* group : {"", "events.k8s.io"}) {
    add(rights, {}, {group, "events", {}}, {"create", "patch"});
  }
}

/// The account in whose name a controller acts; empty: the host's.
std::string account_of(const DeclaredController& controller, const RbacOptions& options) {
  const std::string client = upstream_client(controller);
  const bool own = options.accounts == RbacOptions::Accounts::kOneEach && has_own_account(client);
  return own ? client : "";
}

/// The rights to list and watch that its rules imply at run time: a garbage collector
/// watches every kind.
void add_rules_of_watches(RightsByNamespace& rights, const DeclaredController& controller) {
  for (const DeclaredRule& rule : controller.rules) {
    if (rule.resource.empty() || !rule.subresource.empty()) continue;
    const auto grants = [&](std::string_view verb) {
      return std::find(rule.verbs.begin(), rule.verbs.end(), verb) != rule.verbs.end();
    };
    if (!grants("list") && !grants("watch") && !grants("*")) continue;
    add(rights, rule.namespaces, {rule.group, rule.resource, rule.resource_names},
        {"get", "list", "watch"});
  }
}

/// The rights of each account; "" is the host's. The host lists and watches for all controllers,
/// also for those that write with an account of their own.
std::map<std::string, RightsByNamespace> rights_by_account(
    const std::vector<DeclaredController>& controllers, const RbacOptions& options) {
  std::map<std::string, RightsByNamespace> out;
  for (const DeclaredController& each : controllers) {
    const std::string account = account_of(each, options);
    add_rules(out[account], each);
    add_watches(out[account], each);
    add_watches(out[""], each);
    if (!account.empty()) add_rules_of_watches(out[""], each);
  }
  const std::vector<std::string> in_system = {std::string(kAccountNamespace)};
  std::vector<std::string> accounts;
  for (const auto& [account, rights] : out) {
    if (!account.empty()) accounts.push_back(account);
  }
  // A rule without names would be one for all accounts.
  if (!accounts.empty()) {
    add(out[""], in_system, {"", "serviceaccounts", {}}, {"create"});  // It has no name yet.
    add(out[""], in_system, {"", "serviceaccounts", accounts}, {"get"});
    add(out[""], in_system, {"", "serviceaccounts/token", accounts}, {"create"});
  }
  // The HTTPS port asks who a token belongs to, and what its user may read.
  add(out[""], {}, {"authentication.k8s.io", "tokenreviews", {}}, {"create"});
  add(out[""], {}, {"authorization.k8s.io", "subjectaccessreviews", {}}, {"create"});
  add(out[""], {kTrustNamespace}, {"", "configmaps", {kTrustConfigMap}}, {"get"});
  for (auto& [account, rights] : out) add_events(rights);
  return out;
}

std::vector<std::string> ordered(const std::set<std::string>& verbs) {
  if (verbs.contains("*")) return {"*"};
  std::vector<std::string> out;
  for (const char* verb : kVerbOrder) {
    if (verbs.contains(verb)) out.emplace_back(verb);
  }
  for (const std::string& verb : verbs) {
    if (std::find(out.begin(), out.end(), verb) == out.end()) out.push_back(verb);
  }
  return out;
}

/// A YAML flow sequence of quoted strings.
std::string flow(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) out += (out.size() > 1 ? ", " : "") + json_string(item);
  return out + "]";
}

std::string rule_yaml(const std::vector<std::string>& groups,
                      const std::vector<std::string>& resources,
                      const std::vector<std::string>& names,
                      const std::vector<std::string>& verbs) {
  std::string out = "- apiGroups: " + flow(groups) + "\n  resources: " + flow(resources) + "\n";
  if (!names.empty()) out += "  resourceNames: " + flow(names) + "\n";
  return out + "  verbs: " + flow(verbs) + "\n";
}

std::string head(const char* api_version, const char* kind, const std::string& name,
                 const std::string& ns) {
  std::string out = std::string("apiVersion: ") + api_version + "\nkind: " + kind +
                    "\nmetadata:\n  name: " + json_string(name) + "\n";
  if (!ns.empty()) out += "  namespace: " + json_string(ns) + "\n";
  return out;
}

/// The subjects of the bindings, and the name of the roles and bindings.
struct Subject {
  std::string roles;
  std::string account;  ///< A ServiceAccount, unless there are users or groups.
  std::string ns;
  std::vector<std::string> users = {};
  std::vector<std::string> groups = {};
};

std::string subjects(const Subject& subject) {
  std::string out = "subjects:\n";
  const auto add = [&out](const char* kind, const std::string& name) {
    out += std::string("- apiGroup: ") + kRbacGroup + "\n  kind: " + kind +
           "\n  name: " + json_string(name) + "\n";
  };
  for (const std::string& each : subject.users) add("User", each);
  for (const std::string& each : subject.groups) add("Group", each);
  if (!subject.users.empty() || !subject.groups.empty()) return out;
  return out + "- kind: ServiceAccount\n  name: " + json_string(subject.account) +
         "\n  namespace: " + json_string(subject.ns) + "\n";
}

std::string binding(const char* kind, const char* role, const std::string& binding_ns,
                    const Subject& subject) {
  return head("rbac.authorization.k8s.io/v1", kind, subject.roles, binding_ns) +
         "roleRef:\n  apiGroup: " + kRbacGroup + "\n  kind: " + role +
         "\n  name: " + json_string(subject.roles) + "\n" + subjects(subject);
}

/// Resources of one group with the same names and verbs share a rule.
std::string resource_rules(const Rights& rights) {
  std::string out;
  std::map<std::tuple<std::string, std::vector<std::string>, std::vector<std::string>>,
           std::vector<std::string>>
      rules;
  for (const auto& [object, verbs] : rights.verbs) {
    rules[{object.group, ordered(verbs), object.names}].push_back(object.resource);
  }
  for (const auto& [key, resources] : rules) {
    const auto& [group, verbs, names] = key;
    out += rule_yaml({group}, resources, names, verbs);
  }
  return out;
}

std::string url_rule(const std::vector<std::string>& urls, const std::vector<std::string>& verbs) {
  return "- nonResourceURLs: " + flow(urls) + "\n  verbs: " + flow(verbs) + "\n";
}

std::string cluster_role(const Rights& rights, const std::string& name, const std::string& more) {
  std::string out = head("rbac.authorization.k8s.io/v1", "ClusterRole", name, "");
  out += "rules:\n" + resource_rules(rights) + more;
  std::map<std::vector<std::string>, std::vector<std::string>> urls;
  for (const auto& [url, verbs] : rights.url_verbs) urls[ordered(verbs)].push_back(url);
  for (const auto& [verbs, some] : urls) out += url_rule(some, verbs);
  return out;
}

/// No role can say where HTTP requests go; a network policy can.
std::string http_comment(const std::vector<DeclaredController>& controllers) {
  std::string out;
  for (const DeclaredController& each : controllers) {
    if (each.http.hosts.empty()) continue;
    out += "#   " + each.name + ":";
    for (const std::string& host : each.http.hosts) out += " " + host;
    out += "\n";
  }
  if (out.empty()) return out;
  return "# Beside these rights, HTTP requests to servers outside the cluster:\n" + out;
}

std::string lease_rules(const LeaderElectionSettings& election) {
  std::vector<std::string> names = {election.name};
  if (election.migrates) names.push_back(election.migration.leader_name);
  // A name is not known to the server yet when an object is created.
  return rule_yaml({"coordination.k8s.io"}, {"leases"}, {}, {"create"}) +
         rule_yaml({"coordination.k8s.io"}, {"leases"}, names, {"get", "update", "patch"});
}

/// The host does not start beside an active kube-controller-manager with the same controllers.
std::string neighbour_rule(const std::vector<DeclaredController>& controllers) {
  for (const DeclaredController& each : controllers) {
    if (find_upstream_controller(each.name) == nullptr) continue;
    return rule_yaml({"coordination.k8s.io"}, {"leases"}, {"kube-controller-manager"}, {"get"});
  }
  return "";
}

/// The controllers that the manifest enables, of all its plugins.
std::vector<DeclaredController> enabled_controllers(const Catalog& catalog,
                                                    const Manifest& manifest,
                                                    std::vector<Mistake>& mistakes) {
  const std::vector<KnownController> known = known_controllers(catalog);
  std::vector<std::string> ignored;  // `davit run` prints them.
  const std::vector<std::string> list =
      without_foreign_controllers(translate_aliases(manifest.controllers, known), known, ignored);
  for (std::string& text : unknown_controllers(list, known)) {
    mistakes.push_back({"", 0, 0, "controllers: " + text});
  }
  std::vector<DeclaredController> out;
  for (const CatalogPlugin& plugin : catalog.plugins) {
    for (const CatalogController& each : plugin.controllers) {
      // `enabled: true` in the manifest switches on what is off by default.
      const bool off = each.declared.off_by_default && !each.settings.enabled;
      if (!each.settings.enabled.value_or(true)) continue;
      if (!controller_enabled(list, each.declared.name, off)) continue;
      out.push_back(each.declared);
      const Status configured = apply_config(out.back(), each.settings.config);
      if (configured.ok()) continue;
      mistakes.push_back(
          {"", 0, 0, "controller " + each.declared.name + ": " + configured.message()});
    }
  }
  return out;
}

/// The rules of the Role in each namespace.
std::map<std::string, std::string> namespaced_rules(const RightsByNamespace& rights) {
  std::map<std::string, std::string> rules;
  for (const auto& [ns, some] : rights) {
    if (!ns.empty()) rules[ns] = resource_rules(some);
  }
  return rules;
}

std::string namespaced_roles(const std::map<std::string, std::string>& rules_by_namespace,
                             const Subject& subject) {
  std::string out;
  for (const auto& [ns, rules] : rules_by_namespace) {
    out += "---\n" + head("rbac.authorization.k8s.io/v1", "Role", subject.roles, ns);
    out += "rules:\n" + rules;
    out += "---\n" + binding("RoleBinding", "Role", ns, subject);
  }
  return out;
}

/// The account of a controller, with its roles. The server has roles system:controller:* for
/// upstream's accounts; these add what davit's controllers do otherwise, as patches instead of
/// updates.
std::string account_yaml(const std::string& account, RightsByNamespace rights,
                         const RbacOptions& options) {
  const Subject subject{options.name + ":controller:" + account, account,
                        std::string(kAccountNamespace)};
  return "---\n" + head("v1", "ServiceAccount", subject.account, subject.ns) + "---\n" +
         cluster_role(rights[""], subject.roles, "") + "---\n" +
         binding("ClusterRoleBinding", "ClusterRole", "", subject) +
         namespaced_roles(namespaced_rules(rights), subject);
}

}  // namespace

std::string rbac_yaml(const std::vector<DeclaredController>& controllers,
                      const LeaderElectionSettings& election, const RbacOptions& options) {
  std::map<std::string, RightsByNamespace> accounts = rights_by_account(controllers, options);
  RightsByNamespace rights = std::move(accounts[""]);
  accounts.erase("");
  const Subject subject{options.name, options.name, options.ns, options.users, options.groups};
  std::string out;
  if (options.users.empty() && options.groups.empty()) {
    out = head("v1", "ServiceAccount", options.name, options.ns) + "---\n";
  }
  const std::string urls = url_rule(
      {"/healthz", "/livez", "/readyz", "/version", "/api", "/api/*", "/apis", "/apis/*"}, {"get"});
  out += http_comment(controllers) + cluster_role(rights[""], options.name, urls);
  out += "---\n" + binding("ClusterRoleBinding", "ClusterRole", "", subject);
  std::map<std::string, std::string> rules = namespaced_rules(rights);
  if (election.enabled) rules[election.ns] += lease_rules(election);
  if (const std::string rule = neighbour_rule(controllers); !rule.empty()) {
    rules["kube-system"] += rule;
  }
  out += namespaced_roles(rules, subject);
  for (auto& [account, some] : accounts) out += account_yaml(account, std::move(some), options);
  return out;
}

/// The user of a kubeconfig, as the server knows it; empty where only the server can say.
std::string user_of(const Manifest& manifest) {
  if (manifest.client.kubeconfig.empty()) return {};
  KubeconfigOptions lookup;
  lookup.master = manifest.client.master;
  lookup.kubeconfig = manifest.client.kubeconfig;
  lookup.environment = process_environment();
  const Result<ConnectionConfig> connection = load_connection(lookup);
  if (!connection) return {};  // The machine that prints rights need not be the host's.
  if (!connection->impersonate.user.empty()) return connection->impersonate.user;
  const Result<std::string> pem = connection->cert_data.empty()
                                      ? read_text_file(connection->cert_file)
                                      : Result<std::string>(connection->cert_data);
  const Result<CertificateSubject> subject =
      pem ? certificate_subject(*pem) : Result<CertificateSubject>(pem.error());
  return subject ? subject->common_name : std::string();
}

int run_rbac(const RbacOptions& options, std::ostream& out, std::ostream& err) {
  RunOptions flags;
  flags.manifest = options.manifest;
  flags.plugin_directories = options.plugin_directories;
  SettingsResult merged = merge_settings(flags);
  std::vector<Mistake> mistakes = std::move(merged.mistakes);
  const Manifest& manifest = merged.settings.manifest;
  std::vector<DeclaredController> controllers;
  if (mistakes.empty()) {
    const Catalog catalog = resolve_plugins(manifest, options.manifest);
    mistakes = catalog.mistakes;
    if (catalog.ok()) controllers = enabled_controllers(catalog, manifest, mistakes);
  }
  for (const Mistake& mistake : mistakes) err << "davit: " << mistake.str() << "\n";
  if (!mistakes.empty()) return kExitMistakes;
  RbacOptions printed = options;
  if (manifest.client.service_account_credentials) {
    printed.accounts = RbacOptions::Accounts::kOneEach;
  }
  if (printed.users.empty() && printed.groups.empty()) {
    if (std::string user = user_of(manifest); !user.empty()) {
      out << "# The user is that of " << manifest.client.kubeconfig << ".\n";
      printed.users.push_back(std::move(user));
    }
  }
  out << rbac_yaml(controllers, manifest.leader_election, printed);
  return 0;
}

}  // namespace davit::host
