#include "sandbox/policy/policy_uses.hpp"

#include <algorithm>
#include <array>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/policy/match_resources.hpp"
#include "sandbox/policy/parameters.hpp"

namespace davit::sandbox {

namespace {

/// The resource of the parameters. `why`: why it is not known.
ResourcePtr parameter_kind(const Json& kind, const ResourceSet& resources, std::string& why) {
  const std::string& version = kind.get("apiVersion").text();
  const std::string& name = kind.get("kind").text();
  ResourcePtr found = resources.find_kind(version, name);
  if (found == nullptr) {
    const std::string group = version.find('/') == std::string::npos ? "/" : "";
    why = "failed to find resource referenced by paramKind: '" + group + version +
          ", Kind=" + name + '\'';
  }
  return found;
}

}  // namespace

bool is_exempt_from_policies(const Resource& resource) {
  constexpr std::array<std::string_view, 4> kExempt = {
      "validatingadmissionpolicies", "validatingadmissionpolicybindings",
      "mutatingadmissionpolicies", "mutatingadmissionpolicybindings"};
  return resource.group == kAdmissionGroup &&
         std::ranges::find(kExempt, resource.name) != kExempt.end();
}

void find_policy_uses(const Json& spec, const std::vector<PolicyBinding>& bindings,
                      const JudgedWrite& write, const RestParts& parts,
                      const ResourceSet& resources, const VisitUse& use,
                      const VisitMistake& mistake) {
  const Store& store = parts.store;
  const Match match = match_resources(spec.get("matchConstraints"), write, store, resources);
  if (!match.error.empty()) return mistake(nullptr, match.error);
  if (match.resource == nullptr) return;
  ResourcePtr kind;
  if (is_set(spec, "paramKind")) {
    std::string why;
    kind = parameter_kind(spec.get("paramKind"), resources, why);
    if (kind == nullptr) return mistake(nullptr, why);
  }
  ParameterCache known;
  for (const PolicyBinding& each : bindings) {
    const Json& narrower = each.spec.get("matchResources");
    if (narrower.is_object()) {
      const Match found = match_resources(narrower, write, store, resources);
      if (!found.error.empty()) mistake(&each, found.error);
      if (found.resource == nullptr) continue;
    }
    const Parameters parameters =
        collect_parameters(kind, each.spec.get("paramRef"), namespace_of(write), parts, known);
    if (!parameters.error.empty()) {
      mistake(&each, parameters.error);
      continue;
    }
    for (const ParameterPtr& params : parameters.objects) use({each, match.resource, params});
  }
}

}  // namespace davit::sandbox
