/// Hints by spec.trafficDistribution: each endpoint for its own zone, or its own node
/// (staging/src/k8s.io/endpointslice/trafficdist.ReconcileHints).
#pragma once

#include <davit/kube/service.hpp>
#include <functional>
#include <string_view>

#include "plugins/endpoint/slice_plan.hpp"

namespace davit::endpoint {

enum class TrafficDistribution { kNone, kSameZone, kSameNode };

/// Unknown values count as none.
[[nodiscard]] TrafficDistribution traffic_distribution(const Service& service);

/// Sets the hints of ready endpoints; an unchanged slice is planned for an update only when one of
/// them is wrong. kNone takes all hints away.
void hint_traffic(SlicePlan& plan, TrafficDistribution distribution);

/// No endpoint of any slice has hints.
void clear_hints(SlicePlan& plan);

/// Moves unchanged slices for which `changes` returns true to the updates; `changes` may edit them.
void update_where(SlicePlan& plan, const std::function<bool(PlannedSlice&)>& changes);

}  // namespace davit::endpoint
