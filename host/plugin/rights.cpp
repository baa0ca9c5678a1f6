#include "host/plugin/rights.hpp"

#include <algorithm>

#include "lib/base/json_text.hpp"
#include "lib/kube/required_name.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kEach = "*";

bool has(const std::vector<std::string>& list, std::string_view wanted) {
  return std::find(list.begin(), list.end(), wanted) != list.end();
}

bool has_verb(const DeclaredRule& rule, std::string_view verb) {
  return has(rule.verbs, kEach) || has(rule.verbs, verb);
}

/// RBAC compares "pods/log" with "*" (which is everything), itself, and "*/log".
bool names_resource(const DeclaredRule& rule, const RequestAttributes& request) {
  if (rule.resource == kEach) {
    return rule.subresource.empty() || rule.subresource == request.subresource;
  }
  return rule.resource == request.resource && rule.subresource == request.subresource;
}

/// A Namespace counts as inside itself (k8s.io/apiserver/pkg/endpoints/request/requestinfo.go).
std::string_view namespace_of(const RequestAttributes& request) {
  const bool is_namespace = request.group.empty() && request.resource == "namespaces";
  return is_namespace ? request.name : request.ns;
}

/// The entries of a resource that have no limit to namespaces, or to objects.
struct Unlimited {
  bool namespaces = false;
  bool names = false;
};

Unlimited unlimited_entries(const DeclaredController& declared, const RequestAttributes& request) {
  Unlimited out;
  for (const DeclaredRule& each : declared.rules) {
    const bool is_group = each.group == kEach || each.group == request.group;
    const bool is_wide = each.resource == kEach && each.subresource.empty();
    if (!is_group || (!is_wide && each.resource != request.resource)) continue;
    out.namespaces = out.namespaces || each.namespaces.empty();
    out.names = out.names || each.resource_names.empty();
  }
  for (const DeclaredWatch& each : declared.watches) {
    if (each.group != request.group || each.resource != request.resource) continue;
    out.namespaces = out.namespaces || each.namespaces.empty();
    out.names = out.names || required_name(each.field_selector).empty();
  }
  return out;
}

}  // namespace

std::string missing_rule(const DeclaredController& declared, const RequestAttributes& request,
                         const std::vector<std::string>& verbs) {
  const Unlimited unlimited = unlimited_entries(declared, request);
  // RBAC knows no name of an object that does not exist yet.
  const bool has_name = !request.name.empty() && !has(verbs, "create");
  JsonText rule('{');
  rule.text("group", request.group).text("resource", request.resource);
  if (!request.subresource.empty()) rule.text("subresource", request.subresource);
  rule.texts("verbs", verbs);
  if (has_name && !unlimited.names) rule.texts("resourceNames", {std::string(request.name)});
  if (!request.ns.empty() && !unlimited.namespaces) {
    rule.texts("namespaces", {std::string(request.ns)});
  }
  return rule.str();
}

bool covers(const std::vector<std::string>& namespaces, std::string_view ns) {
  return namespaces.empty() || has(namespaces, ns);
}

bool allows(const DeclaredRule& rule, const RequestAttributes& request) {
  if (rule.resource.empty()) return false;
  return has_verb(rule, request.verb) && (rule.group == kEach || rule.group == request.group) &&
         names_resource(rule, request) &&
         (rule.resource_names.empty() || has(rule.resource_names, request.name)) &&
         covers(rule.namespaces, namespace_of(request));
}

bool allows(const DeclaredWatch& watch, const RequestAttributes& request) {
  const bool reads = request.verb == "get" || request.verb == "list" || request.verb == "watch";
  const std::string_view name = required_name(watch.field_selector);
  return reads && watch.group == request.group && watch.resource == request.resource &&
         request.subresource.empty() && (name.empty() || name == request.name) &&
         covers(watch.namespaces, namespace_of(request));
}

}  // namespace davit::host
