#include "sandbox/auth/escalation.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "lib/base/json_text.hpp"
#include "sandbox/auth/policy.hpp"

namespace davit::sandbox {
namespace {

constexpr std::string_view kGrantGroup = "rbac.authorization.k8s.io";

using Words = std::vector<std::string>;

bool includes(const Words& list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

bool includes_all(const Words& list, const Words& items) {
  return std::ranges::all_of(items, [&](const std::string& each) { return includes(list, each); });
}

bool includes_resource(const Words& held, std::string_view resource) {
  if (includes(held, "*") || includes(held, resource)) return true;
  const std::size_t slash = resource.find('/');
  return slash != std::string_view::npos &&
         includes(held, "*" + std::string(resource.substr(slash)));
}

bool includes_path(std::string_view held, std::string_view path) {
  if (held == path) return true;
  if (!held.ends_with('*')) return false;
  return path.starts_with(held.substr(0, held.find_last_not_of('*') + 1));
}

/// Whether one rule that is held covers a part of a rule that is wanted.
bool covers_part(const PolicyRule& held, const PolicyRule& part) {
  const bool verbs = includes(held.verbs, "*") || includes_all(held.verbs, part.verbs);
  const bool groups = includes(held.groups, "*") || includes_all(held.groups, part.groups);
  const bool resources = std::ranges::all_of(part.resources, [&](const std::string& each) {
    return includes_resource(held.resources, each);
  });
  const bool names =
      held.names.empty() || (!part.names.empty() && includes_all(held.names, part.names));
  const bool urls = std::ranges::all_of(part.urls, [&](const std::string& wanted) {
    return std::ranges::any_of(
        held.urls, [&](const std::string& each) { return includes_path(each, wanted); });
  });
  return verbs && groups && resources && names && urls;
}

void split(const PolicyRule& rule, std::vector<PolicyRule>& out) {
  for (const std::string& group : rule.groups) {
    for (const std::string& resource : rule.resources) {
      for (const std::string& verb : rule.verbs) {
        if (rule.names.empty()) out.push_back({{verb}, {group}, {resource}, {}, {}});
        for (const std::string& name : rule.names) {
          out.push_back({{verb}, {group}, {resource}, {name}, {}});
        }
      }
    }
  }
  for (const std::string& url : rule.urls) {
    for (const std::string& verb : rule.verbs) out.push_back({{verb}, {}, {}, {}, {url}});
  }
}

/// Joins parts that differ by their verb only; those of paths stay apart, as upstream's do.
void add_compact(std::vector<PolicyRule>& list, PolicyRule part) {
  const auto same = std::ranges::find_if(list, [&](const PolicyRule& each) {
    return each.urls.empty() && part.urls.empty() && each.groups == part.groups &&
           each.resources == part.resources && each.names == part.names;
  });
  if (same == list.end()) {
    list.push_back(std::move(part));
  } else if (!includes(same->verbs, part.verbs.front())) {
    same->verbs.push_back(std::move(part.verbs.front()));
  }
}

/// The form in which Go prints a list with %q: ["a" "b"].
std::string quoted(const Words& list) {
  std::string out = "[";
  for (const std::string& each : list) out += (out.size() > 1 ? " " : "") + json_string(each);
  return out + ']';
}

/// CompactString of upstream's rbac helpers: {APIGroups:[""], Resources:["pods"], Verbs:["get"]}.
std::string text_of(const PolicyRule& rule) {
  std::string out;
  const auto add = [&out](const char* name, const Words& list) {
    if (!list.empty()) out += (out.empty() ? "" : ", ") + std::string(name) + ':' + quoted(list);
  };
  add("APIGroups", rule.groups);
  add("Resources", rule.resources);
  add("NonResourceURLs", rule.urls);
  add("ResourceNames", rule.names);
  add("Verbs", rule.verbs);
  return '{' + out + '}';
}

/// The refusal of a grant; nothing if the requester holds every right in it.
std::optional<GrantRefusal> check_held(const GrantRequest& request, const Authorizer& authorizer,
                                       const std::vector<PolicyRule>& wanted) {
  const std::vector<PolicyRule> missing =
      rights_not_held(authorizer.rules(request.who, request.ns), wanted);
  if (missing.empty()) return std::nullopt;
  std::set<std::string> texts;
  for (const PolicyRule& each : missing) texts.insert(text_of(each));
  std::string why = "user " + json_string(request.who.name) +
                    " (groups=" + quoted(request.who.groups) +
                    ") is attempting to grant RBAC permissions not currently held:";
  for (const std::string& each : texts) why += '\n' + each;
  return GrantRefusal{"", std::move(why)};
}

bool may_do(const GrantRequest& request, const Authorizer& authorizer, const char* verb,
            std::string_view resource, std::string_view name) {
  AccessAttributes what;
  what.verb = verb;
  what.group = kGrantGroup;
  what.version = "*";
  what.name_of_resource = resource;
  what.ns = request.ns;
  what.name = name;
  return authorizer.authorize(request.who, what).allowed();
}

bool has_aggregation(const Json& role) {
  const Json* selectors = role.at({"aggregationRule", "clusterRoleSelectors"});
  return selectors != nullptr && !selectors->items().empty();
}

/// The garbage collector may change owners and finalizers of what it may not grant.
bool changes_references_only(const Json& object, const Json& old) {
  if (old.is_null()) return false;
  Json before = old;
  Json after = object;
  for (Json* each : {&before, &after}) {
    for (const char* field : {"ownerReferences", "finalizers", "managedFields"}) {
      (*each)["metadata"].erase(field);
    }
  }
  return before == after;
}

std::optional<GrantRefusal> check_role(const GrantRequest& request, const Authorizer& authorizer) {
  if (may_do(request, authorizer, "escalate", request.resource, request.name)) return std::nullopt;
  if (changes_references_only(request.object, request.old)) return std::nullopt;
  if (auto refusal = check_held(request, authorizer, rules_in(request.object))) return refusal;
  if (!has_aggregation(request.object) && !has_aggregation(request.old)) return std::nullopt;
  // Such a role collects whatever its selectors match later.
  const std::vector<PolicyRule> everything = {{{"*"}, {"*"}, {"*"}, {}, {}},
                                              {{"*"}, {}, {}, {}, {"*"}}};
  if (rights_not_held(authorizer.rules(request.who, request.ns), everything).empty()) {
    return std::nullopt;
  }
  return GrantRefusal{"", "must have cluster-admin privileges to use the aggregationRule"};
}

std::optional<GrantRefusal> check_binding(const GrantRequest& request,
                                          const Authorizer& authorizer) {
  if (changes_references_only(request.object, request.old)) return std::nullopt;
  const Json& reference = request.object.get("roleRef");
  RoleReference role{reference.get("kind").text(), reference.get("name").text(),
                     std::string(request.ns)};
  const char* resource = role.kind == "ClusterRole" ? "clusterroles" : "roles";
  if (may_do(request, authorizer, "bind", resource, role.name)) return std::nullopt;
  const std::optional<std::vector<PolicyRule>> rules = authorizer.rules_of(role);
  if (!rules) return GrantRefusal{std::move(role.name), ""};
  return check_held(request, authorizer, *rules);
}

}  // namespace

bool grants_rights(std::string_view group, std::string_view resource) {
  return group == kGrantGroup && (resource == "roles" || resource == "clusterroles" ||
                                  resource == "rolebindings" || resource == "clusterrolebindings");
}

std::optional<GrantRefusal> check_grant(const GrantRequest& request, const Authorizer& authorizer) {
  if (request.who.in_group(kMastersGroup)) return std::nullopt;
  return request.resource.ends_with("bindings") ? check_binding(request, authorizer)
                                                : check_role(request, authorizer);
}

std::vector<PolicyRule> rights_not_held(const std::vector<PolicyRule>& held,
                                        const std::vector<PolicyRule>& wanted) {
  std::vector<PolicyRule> parts;
  for (const PolicyRule& each : wanted) split(each, parts);
  std::vector<PolicyRule> out;
  for (PolicyRule& part : parts) {
    const bool covered =
        std::ranges::any_of(held, [&](const PolicyRule& each) { return covers_part(each, part); });
    if (!covered) add_compact(out, std::move(part));
  }
  return out;
}

}  // namespace davit::sandbox
