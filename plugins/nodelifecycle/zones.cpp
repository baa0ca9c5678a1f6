#include "plugins/nodelifecycle/zones.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <string_view>

namespace davit::nodelifecycle {
namespace {

/// The deprecated label wins, even when it is empty.
std::string_view topology(const Node& node, std::string_view deprecated, std::string_view stable) {
  if (const auto value = node.label(deprecated)) return *value;
  return node.label(stable).value_or(std::string_view());
}

template <typename States>
bool all_full(const States& states) {
  return std::all_of(states.begin(), states.end(),
                     [](const auto& each) { return each.second == ZoneState::kFullDisruption; });
}

}  // namespace

std::string zone_key(const Node& node) {
  if (node.labels().is_absent()) return {};
  const std::string_view zone =
      topology(node, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone");
  const std::string_view region =
      topology(node, "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region");
  if (zone.empty() && region.empty()) return {};
  std::string key(region);
  key.append(":\0:", 3).append(zone);
  return key;
}

ZoneState zone_state(const ZoneCount& count, const ZoneOptions& options) {
  constexpr std::size_t kFewNodes = 2;  // This many nodes may fail without a verdict on the zone.
  if (count.ready == 0 && count.not_ready > 0) return ZoneState::kFullDisruption;
  const float unhealthy = static_cast<float>(count.not_ready) / static_cast<float>(count.size());
  if (count.not_ready > kFewNodes && unhealthy >= options.unhealthy_threshold) {
    return ZoneState::kPartialDisruption;
  }
  return ZoneState::kNormal;
}

float zone_rate(ZoneState state, std::size_t size, const ZoneOptions& options) {
  if (state != ZoneState::kPartialDisruption) return options.rate;
  return size > options.large_threshold ? options.secondary_rate : 0;
}

bool ZoneStates::are_down() const {
  return !states_.empty() && all_full(states_) && !mutant("full-disruption");
}

DisruptionPlan ZoneStates::update(const ZoneCounts& counts, const ZoneOptions& options) {
  DisruptionPlan plan;
  std::map<std::string, ZoneState> now;
  for (const auto& [zone, count] : counts) {
    now.emplace(zone, zone_state(count, options));
    ensure(zone);
  }
  for (const auto& [zone, state] : states_) {
    if (!now.contains(zone)) plan.vanished.push_back(zone);
  }
  for (const std::string& zone : plan.vanished) states_.erase(zone);
  const bool is_down = all_full(now) && !mutant("full-disruption");
  const bool was_down = all_full(states_);
  if (is_down && was_down) return plan;
  if (is_down) {
    plan.kind = DisruptionPlan::Kind::kEnter;
  } else if (was_down) {
    plan.kind = DisruptionPlan::Kind::kExit;
  }
  for (const auto& [zone, state] : now) {
    if (plan.kind == DisruptionPlan::Kind::kNone && states_[zone] == state) continue;
    const std::size_t size = counts.at(zone).size();
    plan.rates.push_back({zone, is_down ? 0 : zone_rate(state, size, options)});
  }
  states_ = std::move(now);
  return plan;
}

}  // namespace davit::nodelifecycle
