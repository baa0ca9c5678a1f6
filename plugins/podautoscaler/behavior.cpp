#include "plugins/podautoscaler/behavior.hpp"

#include <algorithm>
#include <davit/kube/quantity.hpp>

namespace davit::podautoscaler {
namespace {

std::int32_t number(Value value, std::int32_t fallback) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(value.integer_or(fallback), INT32_MIN, INT32_MAX));
}

ScalingRules::Select select_of(std::string_view text) {
  if (text == "Disabled") return ScalingRules::Select::kDisabled;
  return text == "Min" ? ScalingRules::Select::kMin : ScalingRules::Select::kMax;
}

void read_rules(Value rules, ScalingRules& out) {
  if (rules.kind() != Kind::kObject) return;
  const Value window = rules["stabilizationWindowSeconds"];
  if (window.integer()) out.window_seconds = number(window, 0);
  out.select = select_of(rules["selectPolicy"].string());
  std::vector<RatePolicy> policies;
  for (const Value each : rules["policies"].elements()) {
    policies.push_back({each[&Names::type].string() == "Percent" ? RatePolicy::Unit::kPercent
                                                                 : RatePolicy::Unit::kPods,
                        number(each[&Names::value], 0), number(each["periodSeconds"], 0)});
  }
  if (!policies.empty()) out.policies = std::move(policies);
  const std::optional<Quantity> tolerance = Quantity::read(rules["tolerance"]);
  if (tolerance) out.tolerance = tolerance->approximate();
}

}  // namespace

std::int32_t ScalingRules::longest_period() const {
  std::int32_t out = 0;
  for (const RatePolicy& each : policies) out = std::max(out, each.period_seconds);
  return out;
}

std::optional<Behavior> read_behavior(Value behavior) {
  if (behavior.kind() != Kind::kObject) return std::nullopt;
  constexpr RatePolicy kDouble{RatePolicy::Unit::kPercent, 100, 15};
  Behavior out;
  out.up.window_seconds = 0;
  out.up.policies = {{RatePolicy::Unit::kPods, 4, 15}, kDouble};
  out.down.policies = {kDouble};
  read_rules(behavior["scaleUp"], out.up);
  read_rules(behavior["scaleDown"], out.down);
  return out;
}

}  // namespace davit::podautoscaler
