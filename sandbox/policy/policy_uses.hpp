/// Finds the policies, bindings and parameters that are for a write.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "sandbox/policy/parameters.hpp"
#include "sandbox/rest/resources.hpp"
#include "sandbox/rest/rest_parts.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

inline constexpr std::string_view kAdmissionGroup = "admissionregistration.k8s.io";

struct PolicyBinding {
  std::string name;
  Json spec;
};

/// One evaluation of a policy. Borrowed for the call.
struct PolicyUse {
  const PolicyBinding& binding;
  const ResourcePtr& matched;  ///< The form in which the policy sees the object.
  const ParameterPtr& params;  ///< A null value: without any.
};
using VisitUse = std::function<void(const PolicyUse& use)>;
/// Gets a mistake of a binding, or of the policy itself: then `binding` is null.
using VisitMistake = std::function<void(const PolicyBinding* binding, const std::string& why)>;

/// Policies and bindings are not judged by policies, because a policy could prevent its own change.
[[nodiscard]] bool is_exempt_from_policies(const Resource& resource);

/// Visits the uses of the policy with `spec` for a write, in the order of its bindings. May block,
/// to convert parameters.
/// k8s: Dispatch of k8s.io/apiserver/pkg/admission/plugin/policy/generic.
void find_policy_uses(const Json& spec, const std::vector<PolicyBinding>& bindings,
                      const JudgedWrite& write, const RestParts& parts,
                      const ResourceSet& resources, const VisitUse& use,
                      const VisitMistake& mistake);

}  // namespace davit::sandbox
