/// ResourceQuotas and the objects that are written: what counts, which quotas apply, and what a pod
/// must say. Pure. k8s: pkg/quota/v1/evaluator/core.
#pragma once

#include <davit/kube/amount.hpp>
#include <string>

#include "lib/kube/json.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// Everything that the object counts for: "pods", "requests.cpu", "count/deployments.apps". Not for
/// ResourceClaims, whose usage depends on other objects: see quota::device_claim_usage().
[[nodiscard]] Amounts quota_usage(const Collection& collection, const Json& object);

/// Whether the quota's scopes hold for the object.
[[nodiscard]] bool quota_applies(const Json& quota, const Collection& collection,
                                 const Json& object);

/// "limits.cpu for: a,b; limits.memory for: b": what the quota bounds and a pod's containers leave
/// open; "" when nothing is.
[[nodiscard]] std::string missing_amounts(const Json& hard, const Collection& collection,
                                          const Json& object);

}  // namespace davit::sandbox
