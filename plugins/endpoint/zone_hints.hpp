/// Hints by the annotation topology-mode: endpoints are dealt to zones by the CPUs of their nodes
/// (staging/src/k8s.io/endpointslice/topologycache). Pure.
#pragma once

#include <davit/informer.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/service.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "plugins/endpoint/slice_plan.hpp"

namespace davit::endpoint {

/// Each zone's part of all CPUs.
using ZoneRatios = std::map<std::string, double, std::less<>>;
/// The number of endpoints allocated to each zone.
using ZoneCounts = std::map<std::string, std::size_t, std::less<>>;

/// Whether the Service requests hints: exactly "Auto" or "auto", the deprecated annotation first.
[[nodiscard]] bool wants_zone_hints(const Service& service);

/// Nothing when a ready worker has no zone or no CPUs, or when there is only one zone.
[[nodiscard]] std::optional<ZoneRatios> zone_ratios(std::span<const Node> nodes);

/// The result of dealing: counts, or why there are no hints.
struct ZoneHints {
  std::optional<ZoneCounts> allocated;
  std::string refusal;  ///< The event's message up to ", addressType".
};

/// Deals the ready endpoints of the plan to the zones and sets their hints. Refused: all hints of
/// the plan are cleared.
[[nodiscard]] ZoneHints hint_zones(SlicePlan& plan, const std::optional<ZoneRatios>& ratios);

/// Whether some zone has so few endpoints for its CPUs that they should be allocated again.
[[nodiscard]] bool is_overloaded(const ZoneCounts& allocated,
                                 const std::optional<ZoneRatios>& ratios);

}  // namespace davit::endpoint
