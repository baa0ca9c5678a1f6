#include "cli/rbac_command.hpp"

#include <map>
#include <ostream>
#include <set>
#include <utility>

#include "cli/controllers_flag.hpp"
#include "cli/exit_codes.hpp"
#include "cli/options.hpp"
#include "host/plugin/catalog.hpp"
#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

constexpr const char* kRbacGroup = "rbac.authorization.k8s.io";
/// In the order that people write them.
constexpr const char* kVerbOrder[] = {"get",    "list",  "watch",  "create",
                                      "update", "patch", "delete", "deletecollection"};

/// Verbs by API group and resource ("pods", "deployments/status").
using Rights = std::map<std::pair<std::string, std::string>, std::set<std::string>>;

Rights collect(const std::vector<DeclaredController>& controllers) {
  Rights rights;
  for (const DeclaredController& controller : controllers) {
    for (const DeclaredRule& rule : controller.rules) {
      const std::string resource =
          rule.subresource.empty() ? rule.resource : rule.resource + "/" + rule.subresource;
      rights[{rule.group, resource}].insert(rule.verbs.begin(), rule.verbs.end());
    }
    for (const DeclaredWatch& watch : controller.watches) {
      rights[{watch.group, watch.resource}].insert({"get", "list", "watch"});
    }
  }
  // The host writes the controllers' events, and repeats of one as patches.
  for (const char* group : {"", "events.k8s.io"}) {
    rights[{group, "events"}].insert({"create", "patch"});
  }
  return rights;
}

std::vector<std::string> ordered(const std::set<std::string>& verbs) {
  std::vector<std::string> out;
  for (const char* verb : kVerbOrder) {
    if (verbs.contains(verb)) out.emplace_back(verb);
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

std::string cluster_role(const std::vector<DeclaredController>& controllers,
                         const RbacOptions& options) {
  std::string out = head("rbac.authorization.k8s.io/v1", "ClusterRole", options.name, "");
  out += "rules:\n";
  // Resources of one group with the same verbs share a rule.
  std::map<std::pair<std::string, std::vector<std::string>>, std::vector<std::string>> rules;
  for (const auto& [key, verbs] : collect(controllers)) {
    rules[{key.first, ordered(verbs)}].push_back(key.second);
  }
  for (const auto& [key, resources] : rules) {
    out += rule_yaml({key.first}, resources, {}, key.second);
  }
  out += "- nonResourceURLs: " +
         flow({"/healthz", "/livez", "/readyz", "/version", "/api", "/api/*", "/apis", "/apis/*"}) +
         "\n  verbs: [\"get\"]\n";
  return out;
}

std::string lease_role(const LeaderElectionSettings& election, const RbacOptions& options) {
  std::string out = head("rbac.authorization.k8s.io/v1", "Role", options.name, election.ns);
  out += "rules:\n";
  // A name is not known to the server yet when an object is created.
  out += rule_yaml({"coordination.k8s.io"}, {"leases"}, {}, {"create"});
  out +=
      rule_yaml({"coordination.k8s.io"}, {"leases"}, {election.name}, {"get", "update", "patch"});
  // The host warns when a kube-controller-manager seems to run the same controllers.
  out += rule_yaml({"coordination.k8s.io"}, {"leases"}, {"kube-controller-manager"}, {"get"});
  return out;
}

/// The controllers that the manifest enables, of all its plugins.
std::vector<DeclaredController> enabled_controllers(const Catalog& catalog,
                                                    const Manifest& manifest,
                                                    std::vector<Mistake>& mistakes) {
  std::vector<KnownController> known;
  for (const CatalogPlugin& plugin : catalog.plugins) {
    for (const CatalogController& each : plugin.controllers) {
      known.push_back({each.declared.name, each.declared.aliases, each.declared.off_by_default});
    }
  }
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
      if (controller_enabled(list, each.declared.name, off)) out.push_back(each.declared);
    }
  }
  return out;
}

}  // namespace

std::string rbac_yaml(const std::vector<DeclaredController>& controllers,
                      const LeaderElectionSettings& election, const RbacOptions& options) {
  std::string out = head("v1", "ServiceAccount", options.name, options.ns);
  out += "---\n" + cluster_role(controllers, options);
  out += "---\n" + binding("ClusterRoleBinding", "ClusterRole", "", options);
  if (!election.enabled) return out;
  out += "---\n" + lease_role(election, options);
  out += "---\n" + binding("RoleBinding", "Role", election.ns, options);
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
