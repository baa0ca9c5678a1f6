/// The parameters of a policy's binding.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "sandbox/rest/resources.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

struct Parameters {
  std::vector<Json> objects;  ///< The policy is evaluated with each; null: without any.
  std::string error;          ///< Why the binding cannot be used.
};
/// The objects that `reference` (spec.paramRef of the binding) names. `kind`: the resource of
/// spec.paramKind, or null if the policy has none. `ns`: of the request.
/// k8s: CollectParams of k8s.io/apiserver/pkg/admission/plugin/policy/generic.
[[nodiscard]] Parameters collect_parameters(const ResourcePtr& kind, const Json& reference,
                                            std::string_view ns, const Store& store);

}  // namespace davit::sandbox
