/// The requests and limits of a pod, as the scheduler and quotas see them. Pure;
/// k8s.io/component-helpers/resource PodRequests and PodLimits.
#pragma once

#include <davit/kube/pod.hpp>

#include "plugins/resourcequota/amount.hpp"

namespace davit::resourcequota {

enum class Side { kRequests, kLimits };

/// "requests" or "limits".
[[nodiscard]] std::string_view side_text(Side side);

/// Rule: docs/spec/resourcequota.md, section 8.3.
[[nodiscard]] Amounts effective_resources(const Pod& pod, Side side);

}  // namespace davit::resourcequota
