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
#include "host/plugin/catalog.hpp"
#include "host/plugin/declared_config.hpp"
#include "lib/base/json_text.hpp"

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

RightsByNamespace collect(const std::vector<DeclaredController>& controllers) {
  RightsByNamespace rights;
  for (const DeclaredController& controller : controllers) {
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
    for (const DeclaredWatch& watch : controller.watches) {
      add(rights, watch.namespaces, {watch.group, watch.resource, {}}, {"get", "list", "watch"});
    }
  }
  // The host writes the controllers' events, and repeats of one as patches.
  for (const char* group : {"", "events.k8s.io"}) {
    add(rights, {}, {group, "events", {}}, {"create", "patch"});
  }
  return rights;
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

std::string binding(const char* kind, const char* role, const std::string& binding_ns,
                    const RbacOptions& options) {
  return head("rbac.authorization.k8s.io/v1", kind, options.name, binding_ns) +
         "roleRef:\n  apiGroup: " + kRbacGroup + "\n  kind: " + role +
         "\n  name: " + json_string(options.name) +
         "\nsubjects:\n- kind: ServiceAccount\n  name: " + json_string(options.name) +
         "\n  namespace: " + json_string(options.ns) + "\n";
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

std::string cluster_role(const Rights& rights, const RbacOptions& options) {
  std::string out = head("rbac.authorization.k8s.io/v1", "ClusterRole", options.name, "");
  out += "rules:\n" + resource_rules(rights);
  out += url_rule(
      {"/healthz", "/livez", "/readyz", "/version", "/api", "/api/*", "/apis", "/apis/*"}, {"get"});
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
  // A name is not known to the server yet when an object is created.
  return rule_yaml({"coordination.k8s.io"}, {"leases"}, {}, {"create"}) +
         rule_yaml({"coordination.k8s.io"}, {"leases"}, {election.name},
                   {"get", "update", "patch"}) +
         // The host warns when a kube-controller-manager seems to run the same controllers.
         rule_yaml({"coordination.k8s.io"}, {"leases"}, {"kube-controller-manager"}, {"get"});
}

/// The controllers that the manifest enables, of all its plugins.
std::vector<DeclaredController> enabled_controllers(const Catalog& catalog,
                                                    const Manifest& manifest,
                                                    std::vector<Mistake>& mistakes) {
  const std::vector<KnownController> known = known_controllers(catalog);
  const std::vector<std::string> list = translate_aliases(manifest.controllers, known);
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

}  // namespace

std::string rbac_yaml(const std::vector<DeclaredController>& controllers,
                      const LeaderElectionSettings& election, const RbacOptions& options) {
  std::string out = head("v1", "ServiceAccount", options.name, options.ns);
  RightsByNamespace rights = collect(controllers);
  out += "---\n" + http_comment(controllers) + cluster_role(rights[""], options);
  out += "---\n" + binding("ClusterRoleBinding", "ClusterRole", "", options);
  // The rules of the Role in each namespace.
  std::map<std::string, std::string> roles;
  for (const auto& [ns, some] : rights) {
    if (!ns.empty()) roles[ns] = resource_rules(some);
  }
  if (election.enabled) roles[election.ns] += lease_rules(election);
  for (const auto& [ns, rules] : roles) {
    out += "---\n" + head("rbac.authorization.k8s.io/v1", "Role", options.name, ns);
    out += "rules:\n" + rules;
    out += "---\n" + binding("RoleBinding", "Role", ns, options);
  }
  return out;
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
  out << rbac_yaml(controllers, manifest.leader_election, options);
  return 0;
}

}  // namespace davit::host
