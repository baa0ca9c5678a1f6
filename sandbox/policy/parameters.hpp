/// The parameters of a policy's binding.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "sandbox/rest/resources.hpp"
#include "sandbox/rest/rest_parts.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// An object that is a parameter, shared by the bindings that use it. A null value: no parameter.
using ParameterPtr = std::shared_ptr<const Json>;
/// The parameters that were read for one write.
using ParameterCache = std::map<VersionPtr, ParameterPtr>;

struct Parameters {
  std::vector<ParameterPtr> objects;  ///< The policy is evaluated with each.
  std::string error;                  ///< Why the binding cannot be used.
};
/// The objects that `reference` (spec.paramRef of the binding) names. `kind`: the resource of
/// spec.paramKind, or null if the policy has none; `known` has objects of it. `ns`: of the request.
/// May block: parameters are seen in the version of paramKind, to which a webhook may convert them.
/// k8s: CollectParams of k8s.io/apiserver/pkg/admission/plugin/policy/generic.
[[nodiscard]] Parameters collect_parameters(const ResourcePtr& kind, const Json& reference,
                                            std::string_view ns, const RestParts& parts,
                                            ParameterCache& known);

}  // namespace davit::sandbox
