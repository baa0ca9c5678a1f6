#include "plugins/endpoint/traffic_hints.hpp"

#include <utility>

namespace davit::endpoint {

namespace {

EndpointHints hints_of(const SliceEndpoint& endpoint, TrafficDistribution distribution) {
  EndpointHints hints;
  if (endpoint.zone) hints.zones = {*endpoint.zone};
  if (distribution == TrafficDistribution::kSameNode && endpoint.node_name) {
    hints.nodes = {*endpoint.node_name};
  }
  return hints;
}

/// Sets an endpoint's hints. False: they were so already.
bool set_hints(SliceEndpoint& endpoint, EndpointHints hints) {
  if (endpoint.hints == hints) return false;
  endpoint.hints = std::move(hints);
  return true;
}

/// True when something changed.
bool hint_slice(PlannedSlice& slice, TrafficDistribution distribution) {
  bool changed = false;
  for (SliceEndpoint& each : slice.endpoints) {
    if (distribution == TrafficDistribution::kNone) {
      changed |= set_hints(each, {});
    } else if (each.is_ready()) {
      changed |= set_hints(each, hints_of(each, distribution));
    }
  }
  if (changed) slice.content = PlannedSlice::Content::kPlanned;
  return changed;
}

}  // namespace

TrafficDistribution traffic_distribution(const Service& service) {
  const std::string_view text = service.spec()["trafficDistribution"].string();
  if (text == "PreferClose" || text == "PreferSameZone") return TrafficDistribution::kSameZone;
  return text == "PreferSameNode" ? TrafficDistribution::kSameNode : TrafficDistribution::kNone;
}

void update_where(SlicePlan& plan, const std::function<bool(PlannedSlice&)>& changes) {
  std::vector<PlannedSlice> rest;
  for (PlannedSlice& each : plan.unchanged) {
    (changes(each) ? plan.update : rest).push_back(std::move(each));
  }
  plan.unchanged = std::move(rest);
}

void hint_traffic(SlicePlan& plan, TrafficDistribution distribution) {
  const auto hint = [distribution](PlannedSlice& slice) { return hint_slice(slice, distribution); };
  for (PlannedSlice& each : plan.create) static_cast<void>(hint(each));
  for (PlannedSlice& each : plan.update) static_cast<void>(hint(each));
  update_where(plan, hint);
}

void clear_hints(SlicePlan& plan) { hint_traffic(plan, TrafficDistribution::kNone); }

}  // namespace davit::endpoint
