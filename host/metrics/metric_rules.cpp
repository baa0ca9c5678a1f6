#include "host/metrics/metric_rules.hpp"

namespace davit::host {

LabelLimits::LabelLimits(const MetricRules& rules, std::string_view metric,
                         const std::vector<std::string>& labels) {
  const auto found = rules.allowed.find(metric);
  if (found == rules.allowed.end()) return;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto limit = found->second.find(labels[i]);
    if (limit != found->second.end()) limits_.push_back({i, limit->second});
  }
}

std::size_t LabelLimits::apply(std::vector<std::string_view>& values) const {
  std::size_t replaced = 0;
  for (const Limit& each : limits_) {
    if (each.label >= values.size() || each.values.contains(values[each.label])) continue;
    values[each.label] = "unexpected";
    ++replaced;
  }
  return replaced;
}

}  // namespace davit::host
