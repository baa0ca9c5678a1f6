#include "sandbox/auth/policy.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "lib/base/json_text.hpp"
#include "sandbox/auth/tokens.hpp"
#include "sandbox/kinds/metadata.hpp"

namespace davit::sandbox {
namespace {

using Strings = std::vector<std::string>;

Strings strings_of(const Json& json) {
  Strings out;
  for (const Json& each : json.items()) out.push_back(each.text());
  return out;
}

bool has(const Strings& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool has_or_all(const Strings& list, std::string_view item) {
  return has(list, "*") || has(list, item);
}

/// Collects what the aggregation of `role` adds, transitively: view is part of edit, edit of admin.
void aggregate(const std::vector<Json>& all, const Json& role, std::set<const Json*>& seen,
               std::vector<PolicyRule>& out) {
  if (!seen.insert(&role).second) return;
  for (PolicyRule& each : rules_in(role)) out.push_back(std::move(each));
  const Json* selectors = role.at({"aggregationRule", "clusterRoleSelectors"});
  if (selectors == nullptr) return;
  for (const Json& other : all) {
    const Json& labels = other.get("metadata").get("labels");
    const bool wanted =
        std::any_of(selectors->items().begin(), selectors->items().end(),
                    [&](const Json& selector) { return selector_matches(selector, labels); });
    if (wanted) aggregate(all, other, seen, out);
  }
}

bool covers_resource(const PolicyRule& rule, const AccessAttributes& what) {
  if (has(rule.resources, "*")) return true;
  if (what.subresource.empty()) return has(rule.resources, what.name_of_resource);
  return has(rule.resources, what.name_of_resource + "/" + what.subresource) ||
         has(rule.resources, "*/" + what.subresource);
}

bool covers_path(const PolicyRule& rule, std::string_view path) {
  return std::any_of(rule.urls.begin(), rule.urls.end(), [&](std::string_view url) {
    if (url == "*" || url == path) return true;
    return url.ends_with('*') && path.starts_with(url.substr(0, url.size() - 1));
  });
}

}  // namespace

bool covers(const PolicyRule& rule, const AccessAttributes& what) {
  if (!has_or_all(rule.verbs, what.verb)) return false;
  if (!what.resource) return covers_path(rule, what.path);
  return has_or_all(rule.groups, what.group) && covers_resource(rule, what) &&
         (rule.names.empty() || has(rule.names, what.name));
}

std::vector<PolicyRule> rules_in(const Json& role) {
  std::vector<PolicyRule> out;
  for (const Json& each : role.get("rules").items()) {
    out.push_back({strings_of(each.get("verbs")), strings_of(each.get("apiGroups")),
                   strings_of(each.get("resources")), strings_of(each.get("resourceNames")),
                   strings_of(each.get("nonResourceURLs"))});
  }
  return out;
}

Policy::Policy(const PolicyObjects& objects) {
  for (const Json& each : objects.cluster_roles) {
    std::set<const Json*> seen;
    Rules rules;
    aggregate(objects.cluster_roles, each, seen, rules);
    cluster_roles_[each.text_at({"metadata", "name"})] =
        std::make_shared<const Rules>(std::move(rules));
  }
  for (const Json& each : objects.roles) {
    const std::string key =
        each.text_at({"metadata", "namespace"}) + "/" + each.text_at({"metadata", "name"});
    roles_[key] = std::make_shared<const Rules>(rules_in(each));
  }
  for (const Json& each : objects.cluster_role_bindings) {
    everywhere_.push_back(read_binding(each));
  }
  for (const Json& each : objects.role_bindings) {
    by_namespace_[each.text_at({"metadata", "namespace"})].push_back(read_binding(each));
  }
}

std::shared_ptr<const Policy::Rules> Policy::find(const RoleReference& role) const {
  const bool of_cluster = role.kind == "ClusterRole";
  const Roles& among = of_cluster ? cluster_roles_ : roles_;
  const auto found = among.find(of_cluster ? role.name : role.ns + "/" + role.name);
  return found == among.end() ? nullptr : found->second;
}

std::optional<std::vector<PolicyRule>> Policy::rules_of(const RoleReference& role) const {
  const std::shared_ptr<const Rules> found = find(role);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

Policy::Binding Policy::read_binding(const Json& object) const {
  const std::string& ns = object.text_at({"metadata", "namespace"});
  const std::string& name = object.text_at({"metadata", "name"});
  const std::string& role_kind = object.text_at({"roleRef", "kind"});
  const std::string& role = object.text_at({"roleRef", "name"});
  Binding out;
  out.text = ns.empty() ? "ClusterRoleBinding " + json_string(name)
                        : "RoleBinding " + json_string(name + "/" + ns);
  out.text += " of " + role_kind + " " + json_string(role);
  out.rules = find({role_kind, role, ns});
  if (out.rules == nullptr) out.rules = std::make_shared<const Rules>();
  for (const Json& each : object.get("subjects").items()) {
    Subject subject{each.get("kind").text(), each.get("name").text(), ""};
    subject.text = subject.kind + " " + json_string(subject.name);
    if (subject.kind == "ServiceAccount") {
      const std::string& own = each.get("namespace").text();
      subject.text = subject.kind + " " + json_string(subject.name + "/" + own);
      subject.name = service_account_identity(own.empty() ? ns : own, subject.name).name;
    }
    out.subjects.push_back(std::move(subject));
  }
  return out;
}

const Policy::Subject* Policy::subject_for(const Binding& binding, const UserInfo& who) {
  for (const Subject& each : binding.subjects) {
    const bool meant = each.kind == "Group" ? who.in_group(each.name) : each.name == who.name;
    if (meant) return &each;
  }
  return nullptr;
}

Access Policy::allowed_by(const std::vector<Binding>& bindings, const UserInfo& who,
                          const AccessAttributes& what) {
  for (const Binding& binding : bindings) {
    const Subject* subject = subject_for(binding, who);
    if (subject == nullptr) continue;
    const bool allowed = std::any_of(binding.rules->begin(), binding.rules->end(),
                                     [&](const PolicyRule& rule) { return covers(rule, what); });
    if (allowed) {
      return {Decision::kAllow, "RBAC: allowed by " + binding.text + " to " + subject->text};
    }
  }
  return {};
}

Access Policy::authorize(const UserInfo& who, const AccessAttributes& what) const {
  Access access = allowed_by(everywhere_, who, what);
  if (access.allowed() || !what.resource || what.ns.empty()) return access;
  const auto found = by_namespace_.find(what.ns);
  return found == by_namespace_.end() ? access : allowed_by(found->second, who, what);
}

std::vector<PolicyRule> Policy::rules(const UserInfo& who, std::string_view ns) const {
  std::vector<PolicyRule> out;
  const auto add = [&](const std::vector<Binding>& bindings) {
    for (const Binding& binding : bindings) {
      if (subject_for(binding, who) == nullptr) continue;
      out.insert(out.end(), binding.rules->begin(), binding.rules->end());
    }
  };
  add(everywhere_);
  const auto found = by_namespace_.find(ns);
  if (found != by_namespace_.end()) add(found->second);
  return out;
}

}  // namespace davit::sandbox
