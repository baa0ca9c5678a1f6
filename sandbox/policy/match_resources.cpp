#include "sandbox/policy/match_resources.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "sandbox/kinds/metadata.hpp"

namespace davit::sandbox {

namespace {

bool is_namespaces(const Resource& resource) {
  return resource.group.empty() && resource.name == "namespaces";
}

}  // namespace

std::string_view operation_name(JudgedWrite::Operation operation) {
  switch (operation) {
    case JudgedWrite::Operation::kCreate:
      return "CREATE";
    case JudgedWrite::Operation::kUpdate:
      return "UPDATE";
    case JudgedWrite::Operation::kConnect:
      return "CONNECT";
    case JudgedWrite::Operation::kDelete:
      break;
  }
  return "DELETE";
}

namespace {

bool has_or_all(const Json& list, std::string_view wanted) {
  return std::ranges::any_of(list.items(), [wanted](const Json& each) {
    return each.text() == "*" || each.text() == wanted;
  });
}

bool in_scope(const Json& rule, const JudgedWrite& write) {
  const std::string& scope = rule.get("scope").text();
  if (scope.empty() || scope == "*") return true;
  const bool cluster = is_namespaces(write.resource) || namespace_of(write).empty();
  return (scope == "Cluster" && cluster) || (scope == "Namespaced" && !cluster);
}

bool names_resource(const Json& rule, const Resource& resource, std::string_view subresource) {
  return std::ranges::any_of(rule.get("resources").items(), [&](const Json& each) {
    const std::string_view text = each.text();
    const std::size_t slash = text.find('/');
    const std::string_view name = text.substr(0, slash);
    const std::string_view part = slash == text.npos ? "" : text.substr(slash + 1);
    return (name == "*" || name == resource.name) && (part == "*" || part == subresource);
  });
}

/// Whether a rule is for the write, if that were one of `resource`.
bool rule_matches(const Json& rule, const JudgedWrite& write, const Resource& resource) {
  if (!in_scope(rule, write)) return false;
  if (!has_or_all(rule.get("operations"), operation_name(write.operation))) return false;
  if (!has_or_all(rule.get("apiGroups"), resource.group)) return false;
  if (!has_or_all(rule.get("apiVersions"), resource.version)) return false;
  if (!names_resource(rule, resource, write.subresource)) return false;
  const Json::Items& names = rule.get("resourceNames").items();
  return names.empty() ||
         std::ranges::any_of(names, [&](const Json& each) { return each.text() == write.name; });
}

/// The resource by whose rule the write matches; null: by none.
ResourcePtr rules_match(const Json& rules, const Json& match, const JudgedWrite& write,
                        const ResourceSet& resources) {
  const Resource& own = write.resource;
  const auto for_resource = [&](const Resource& resource) {
    return std::ranges::any_of(
        rules.items(), [&](const Json& each) { return rule_matches(each, write, resource); });
  };
  const bool equivalent = match.get("matchPolicy").text() == "Equivalent";
  if (for_resource(own)) return resources.find(own.group, own.version, own.name);
  if (!equivalent) return nullptr;
  // The first rule decides, and for one rule the first resource.
  for (const Json& rule : rules.items()) {
    for (const ResourcePtr& each : resources.sharing(own.collection)) {
      const bool has_part =
          write.subresource.empty() || each->subresource(write.subresource) != nullptr;
      if (has_part && rule_matches(rule, write, *each)) return each;
    }
  }
  return nullptr;
}

/// Whether the labels of the write's namespace fit; nothing if there is no such namespace.
std::optional<bool> namespace_fits(const Json& selector, const JudgedWrite& write,
                                   const Store& store) {
  const std::string_view ns = namespace_of(write);
  if (selector.empty() || (ns.empty() && !is_namespaces(write.resource))) return true;
  if (is_namespaces(write.resource) && write.object != nullptr && write.subresource.empty()) {
    return selector_matches(selector, write.object->get("metadata").get("labels"));
  }
  const VersionPtr found = store.get({"", "namespaces"}, "", ns);
  if (found == nullptr) return std::nullopt;
  return selector_matches(selector, found->json().get("metadata").get("labels"));
}

bool object_fits(const Json& selector, const JudgedWrite& write) {
  if (selector.empty()) return true;
  const auto fits = [&selector](const Json* object) {
    return object != nullptr && selector_matches(selector, object->get("metadata").get("labels"));
  };
  return fits(write.object) || fits(write.old);
}

}  // namespace

RequestKind request_kind(const Resource& resource, std::string_view subresource) {
  const Subresource* part = subresource.empty() ? nullptr : resource.subresource(subresource);
  if (part == nullptr || part->kind.empty()) {
    return {resource.group, resource.version, resource.kind};
  }
  // Without a version it is in that of the resource, as in discovery.
  if (part->version.empty()) return {resource.group, resource.version, part->kind};
  return {part->group, part->version, part->kind};
}

std::string_view namespace_of(const JudgedWrite& write) {
  return is_namespaces(write.resource) ? write.name : write.ns;
}

Match match_resources(const Json& match, const JudgedWrite& write, const Store& store,
                      const ResourceSet& resources) {
  const std::optional<bool> in_namespace =
      namespace_fits(match.get("namespaceSelector"), write, store);
  if (in_namespace == false || !object_fits(match.get("objectSelector"), write)) return {};
  if (rules_match(match.get("excludeResourceRules"), match, write, resources) != nullptr) return {};
  const Json& rules = match.get("resourceRules");
  const Resource& own = write.resource;
  ResourcePtr found = rules.items().empty() ? resources.find(own.group, own.version, own.name)
                                            : rules_match(rules, match, write, resources);
  if (found == nullptr) return {};
  if (!in_namespace) {
    return {nullptr, "namespaces \"" + std::string(namespace_of(write)) + "\" not found"};
  }
  return {std::move(found), ""};
}

}  // namespace davit::sandbox
