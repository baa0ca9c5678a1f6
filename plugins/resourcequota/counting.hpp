/// The usage of a namespace. kubernetes:staging/src/k8s.io/apiserver/pkg/quota/v1 CalculateUsage.
#pragma once

#include <davit/kube/amount.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <string_view>
#include <vector>

#include "plugins/resourcequota/quota.hpp"
#include "plugins/resourcequota/registry.hpp"

namespace davit::resourcequota {

struct NamespaceUsage {
  Amounts used;                ///< For the names that could be counted.
  std::vector<Status> errors;  ///< One for each resource that could not.
};

/// Counts what is in the caches for the names of spec.hard. For syncs.
/// Rule: docs/spec/resourcequota.md, section 6.1.
[[nodiscard]] NamespaceUsage count_usage(const Registry& registry, const ResourceQuota& quota,
                                         WallTime now);

}  // namespace davit::resourcequota
