#include "sandbox/policy/parameter_rights.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/policy/policy_uses.hpp"

namespace davit::sandbox {

namespace {

/// A user as Go prints it: &{name uid [groups] map[]}.
std::string go_user(const UserInfo& who) {
  std::string out = "&{" + who.name + ' ' + who.uid + " [";
  for (const std::string& each : who.groups) {
    if (out.back() != '[') out += ' ';
    out += each;
  }
  return out + "] map[]}";
}

/// The resource whose objects are parameters, as far as it is known: "*" otherwise.
struct ParameterResource {
  std::string group = "*";
  std::string version = "*";
  std::string name = "*";
};

ParameterResource resource_of(const Json& kind, const ResourceSet& resources) {
  ParameterResource out;
  const std::string& version = kind.get("apiVersion").text();
  const std::size_t slash = version.find('/');
  out.group = slash == std::string::npos ? "" : version.substr(0, slash);
  out.version = slash == std::string::npos ? version : version.substr(slash + 1);
  const ResourcePtr found = resources.find_kind(version, kind.get("kind").text());
  if (found != nullptr) out.name = found->name;
  return out;
}

bool may(const ParameterWrite& write, const Authorizer& authorizer, std::string_view verb,
         const ParameterResource& what, std::string_view ns, std::string_view name) {
  AccessAttributes attributes;
  attributes.verb = verb;
  attributes.group = what.group;
  attributes.version = what.version;
  attributes.name_of_resource = what.name;
  attributes.ns = ns;
  attributes.name = name;
  return authorizer.authorize(write.who, attributes).allowed();
}

ApiFailure refusal(const ParameterWrite& write, std::string field, const std::string& why) {
  return invalid(Subject::kind_of(write.resource, write.next.text_at({"metadata", "name"})),
                 {field_forbidden(std::move(field), why)});
}

ApiFailure check_policy(const ParameterWrite& write, const Authorizer& authorizer,
                        const ResourceSet& resources) {
  const Json& kind = write.next.get("spec").get("paramKind");
  if (!kind.is_object() || write.old.get("spec").get("paramKind") == kind) return std::nullopt;
  if (may(write, authorizer, "get", resource_of(kind, resources), "*", "*")) return std::nullopt;
  return refusal(write, "spec.paramKind",
                 "user " + go_user(write.who) +
                     " must have \"get\" permission on all objects of the referenced paramKind "
                     "(kind=" +
                     kind.get("kind").text() + ", apiVersion=" + kind.get("apiVersion").text() +
                     ')');
}

ApiFailure check_binding(const ParameterWrite& write, const Authorizer& authorizer,
                         const Store& store, const ResourceSet& resources) {
  const Json& spec = write.next.get("spec");
  const Json& reference = spec.get("paramRef");
  const std::string& policy_name = spec.get("policyName").text();
  const Json& before = write.old.get("spec");
  if (!reference.is_object()) return std::nullopt;
  if (before.get("paramRef") == reference && before.get("policyName").text() == policy_name) {
    return std::nullopt;
  }
  // "validatingadmissionpolicybindings" are those of "validatingadmissionpolicies".
  constexpr std::string_view kEnd = "ybindings";
  const std::string& bindings = write.resource.name;
  const std::string policies = bindings.substr(0, bindings.size() - kEnd.size()) + "ies";
  const VersionPtr policy = store.get({std::string(kAdmissionGroup), policies}, "", policy_name);
  const Json kind = policy == nullptr ? Json() : policy->json().get("spec").get("paramKind");
  const std::string verb = reference.get("name").text().empty() ? "list" : "get";
  const ParameterResource what =
      kind.is_object() ? resource_of(kind, resources) : ParameterResource();
  if (may(write, authorizer, verb, what, reference.get("namespace").text(),
          reference.get("name").text())) {
    return std::nullopt;
  }
  const std::string lacks =
      "user " + go_user(write.who) + " does not have \"" + verb + "\" permission ";
  if (policy == nullptr) {
    return refusal(write, "spec.paramRef",
                   "unable to get policy " + policy_name +
                       " to determine minimum required permissions and " + lacks +
                       "for all groups, versions and resources");
  }
  return refusal(write, "spec.paramRef", lacks + "on the object referenced by paramRef");
}

}  // namespace

bool has_parameters(const Resource& resource) {
  return resource.group == kAdmissionGroup && (resource.name.ends_with("admissionpolicies") ||
                                               resource.name.ends_with("admissionpolicybindings"));
}

ApiFailure check_parameter_rights(const ParameterWrite& write, const Authorizer& authorizer,
                                  const Store& store, const ResourceSet& resources) {
  if (write.who.in_group(kMastersGroup)) return std::nullopt;
  return write.resource.name.ends_with("bindings")
             ? check_binding(write, authorizer, store, resources)
             : check_policy(write, authorizer, resources);
}

}  // namespace davit::sandbox
