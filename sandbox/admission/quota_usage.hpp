/// The usage that an object adds to a ResourceQuota. Pure. k8s: pkg/quota/v1/evaluator/core.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/kube/json.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// In thousandths of `name` ("pods", "requests.cpu", "count/deployments.apps"); 0 when the object
/// does not count for it. Finished pods count for "count/pods" alone.
[[nodiscard]] std::int64_t quota_usage(std::string_view name, const Resource& resource,
                                       const Json& object);

/// Whether the quota's scopes hold for the object.
[[nodiscard]] bool quota_applies(const Json& quota, const Resource& resource, const Json& object);

/// "limits.cpu for: a,b; limits.memory for: b": what the quota bounds and a pod's containers leave
/// open; "" when nothing is.
[[nodiscard]] std::string missing_amounts(const Json& hard, const Resource& resource,
                                          const Json& object);

}  // namespace davit::sandbox
