/// The status of a quota: what is written, and when. Pure; kubernetes:pkg/controller/resourcequota
/// syncResourceQuota and addQuota.
#pragma once

#include <davit/kube/amount.hpp>
#include <string>

#include "plugins/resourcequota/quota.hpp"
#include "plugins/resourcequota/registry.hpp"

namespace davit::resourcequota {

/// The limits, numerically equal or not; the notation does not matter.
[[nodiscard]] bool has_equal_hard(const ResourceQuota& a, const ResourceQuota& b);

/// The new status.used: names of spec.hard only, and the former value of what could not be counted.
/// Rule: docs/spec/resourcequota.md, section 6.
[[nodiscard]] Amounts plan_used(const ResourceQuota& quota, const Amounts& counted);

/// Whether the status has this usage already.
[[nodiscard]] bool is_current(const ResourceQuota& quota, const Amounts& used);

/// Whether this usage is smaller for a name than the one in the status, as it also is when the
/// server has charged for an object that the caches do not show yet. Rule:
/// docs/spec/resourcequota.md, D1.
[[nodiscard]] bool has_lowered(const ResourceQuota& quota, const Amounts& used);

/// The whole quota with this usage and the limits of its spec.
[[nodiscard]] std::string status_body(const ResourceQuota& quota, const Amounts& used);

/// Whether the server refuses objects because the status is not complete. Rule:
/// docs/spec/resourcequota.md, section 4.
[[nodiscard]] bool is_urgent(const ResourceQuota& quota, const Registry& registry);

/// Whether the server enforces a limit that objects of this resource count for.
[[nodiscard]] bool is_about(const ResourceQuota& quota, std::string_view qualified,
                            const quota::DeviceClasses& classes);

}  // namespace davit::resourcequota
