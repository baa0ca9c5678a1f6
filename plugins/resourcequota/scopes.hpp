/// The scopes of quotas: which objects a quota is about. Pure;
/// kubernetes:pkg/quota/v1/evaluator/core podMatchesScopeFunc and pvcMatchesScopeFunc.
#pragma once

#include <davit/kube/metadata.hpp>
#include <davit/kube/pod.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/resourcequota/quota.hpp"

namespace davit::resourcequota {

/// One term of spec.scopes or spec.scopeSelector.
struct ScopeTerm {
  std::string scope;
  std::string op;  ///< "Exists", "DoesNotExist", "In" or "NotIn", unless it is malformed.
  std::vector<std::string> values;
};

[[nodiscard]] std::vector<ScopeTerm> scope_terms(const ResourceQuota& quota);

enum class Scoped {
  kInside,
  kOutside,
  kUndecided,  ///< A term has no meaning.
};

/// Rule: docs/spec/resourcequota.md, section 10.
[[nodiscard]] Scoped scope_of_pod(const std::vector<ScopeTerm>& terms, const Pod& pod);
[[nodiscard]] Scoped scope_of_volume_claim(const std::vector<ScopeTerm>& terms,
                                           const ObjectView& claim);

/// Whether the pod is to end by itself: the scope Terminating, which has nothing to do with
/// deletion.
[[nodiscard]] bool is_bounded(const Pod& pod);

}  // namespace davit::resourcequota
