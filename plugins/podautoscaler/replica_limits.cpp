#include "plugins/podautoscaler/replica_limits.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "plugins/podautoscaler/saturate.hpp"

namespace davit::podautoscaler {
namespace {

using std::chrono::seconds;

constexpr Verdict kReady{true, "ReadyForNewScale", "recommended size matches current size"};
constexpr Verdict kDownStabilized{
    true, "ScaleDownStabilized",
    "recent recommendations were higher than current one, applying the highest recent "
    "recommendation"};
constexpr Verdict kUpStabilized{
    true, "ScaleUpStabilized",
    "recent recommendations were lower than current one, applying the lowest recent "
    "recommendation"};
constexpr Verdict kWithinRange{false, "DesiredWithinRange",
                               "the desired count is within the acceptable range"};
constexpr Verdict kTooFew{true, "TooFewReplicas",
                          "the desired replica count is less than the minimum replica count"};
constexpr Verdict kTooMany{true, "TooManyReplicas",
                           "the desired replica count is more than the maximum replica count"};
constexpr Verdict kUpLimit{
    true, "ScaleUpLimit",
    "the desired replica count is increasing faster than the maximum scale rate"};
constexpr Verdict kDownLimit{
    true, "ScaleDownLimit",
    "the desired replica count is decreasing faster than the maximum scale rate"};

constexpr std::int32_t kUpFactor = 2;
constexpr std::int32_t kUpMinimum = 4;
constexpr double kWhole = 100;

template <typename Entry>
void drop_older(std::vector<Entry>& entries, Time earliest) {
  std::erase_if(entries, [earliest](const Entry& each) { return each.at < earliest; });
}

Wide sum_since(std::span<const ScaleEvent> events, Time after) {
  Wide sum = 0;
  for (const ScaleEvent& each : events) {
    if (each.at > after) sum += each.size;
  }
  return sum;
}

/// The number of replicas when the period of a policy began.
std::int32_t start_of(std::int32_t current, const RatePolicy& policy, const ScalingHistory& history,
                      Time now) {
  const Time after = now - seconds(policy.period_seconds);
  return saturated32(Wide{current} - sum_since(history.ups, after) +
                     sum_since(history.downs, after));
}

/// The window of scaling down.
Duration down_window(const Behavior& behavior, Duration fallback) {
  if (behavior.down.window_seconds) return seconds(*behavior.down.window_seconds);
  return std::chrono::duration_cast<seconds>(fallback);
}

/// Recommendations kept steady over the windows of both directions.
std::int32_t stabilized(const LimitInput& in, const Behavior& behavior,
                        const ScalingHistory& history) {
  const Time up_after = in.now - seconds(behavior.up.window_seconds.value_or(0));
  const Time down_after = in.now - down_window(behavior, in.window);
  std::int32_t least = in.desired;
  std::int32_t most = in.desired;
  for (const Recommendation& each : history.recommendations) {
    if (each.at > up_after) least = std::min(least, each.replicas);
    if (each.at > down_after) most = std::max(most, each.replicas);
  }
  return std::min(std::max(in.current, least), most);
}

/// Applies the rates and bounds to a stabilised number.
Limited bounded(const LimitInput& in, const Behavior& behavior, std::int32_t wanted,
                const ScalingHistory& history) {
  if (wanted > in.current) {
    const std::int32_t limit =
        std::max(scale_up_limit(in.current, behavior.up, history, in.now), in.current);
    const std::int32_t ceiling = std::min(in.max, limit);
    if (wanted > ceiling) return {ceiling, kReady, in.max > limit ? kUpLimit : kTooMany};
  } else if (wanted < in.current) {
    const std::int32_t limit =
        std::min(scale_down_limit(in.current, behavior.down, history, in.now), in.current);
    const std::int32_t floor = std::max(in.min, limit);
    if (wanted < floor) return {floor, kReady, in.min < limit ? kDownLimit : kTooFew};
  }
  return {wanted, kReady, kWithinRange};
}

}  // namespace

void ScalingHistory::prune(Time now, Duration window, const Behavior* behavior) {
  Duration longest = window;
  std::int32_t up_period = 0;
  std::int32_t down_period = 0;
  if (behavior != nullptr) {
    longest = std::max({longest, Duration(seconds(behavior->up.window_seconds.value_or(0))),
                        down_window(*behavior, window)});
    // One list of events serves the policies of both directions.
    up_period = down_period =
        std::max(behavior->up.longest_period(), behavior->down.longest_period());
  }
  // One stays, because an autoscaler without any counts as new.
  if (!recommendations.empty()) {
    const Recommendation last = recommendations.back();
    drop_older(recommendations, now - longest);
    if (recommendations.empty()) recommendations.push_back(last);
  }
  drop_older(ups, now - seconds(up_period));
  drop_older(downs, now - seconds(down_period));
}

Limited limit_by_default(const LimitInput& in, ScalingHistory& history) {
  history.recommendations.push_back({in.desired, in.now});
  std::int32_t wanted = in.desired;
  for (const Recommendation& each : history.recommendations) {
    if (each.at >= in.now - in.window) wanted = std::max(wanted, each.replicas);
  }
  const Verdict able = wanted == in.desired ? kReady : kDownStabilized;
  const std::int32_t up = std::max(saturated32(Wide{in.current} * kUpFactor), kUpMinimum);
  const std::int32_t ceiling = std::min(in.max, up);
  if (wanted < in.min) return {in.min, able, kTooFew};
  if (wanted > ceiling) return {ceiling, able, in.max > up ? kUpLimit : kTooMany};
  return {wanted, able, kWithinRange};
}

std::int32_t scale_up_limit(std::int32_t current, const ScalingRules& rules,
                            const ScalingHistory& history, Time now) {
  if (rules.select == ScalingRules::Select::kDisabled) return current;
  const bool most = rules.select == ScalingRules::Select::kMax;
  std::int32_t out = most ? INT32_MIN : INT32_MAX;
  for (const RatePolicy& each : rules.policies) {
    const std::int32_t start = start_of(current, each, history, now);
    const std::int32_t limit =
        each.unit == RatePolicy::Unit::kPods
            ? saturated32(Wide{start} + each.value)
            : saturated32(std::ceil(static_cast<double>(start) * (1 + each.value / kWhole)));
    out = most ? std::max(out, limit) : std::min(out, limit);
  }
  return out;
}

std::int32_t scale_down_limit(std::int32_t current, const ScalingRules& rules,
                              const ScalingHistory& history, Time now) {
  if (rules.select == ScalingRules::Select::kDisabled) return current;
  const bool most = rules.select == ScalingRules::Select::kMax;
  std::int32_t out = most ? INT32_MAX : INT32_MIN;
  for (const RatePolicy& each : rules.policies) {
    const std::int32_t start = start_of(current, each, history, now);
    const std::int32_t limit =
        each.unit == RatePolicy::Unit::kPods
            ? saturated32(Wide{start} - each.value)
            : saturated32(static_cast<double>(start) * (1 - each.value / kWhole));
    out = most ? std::min(out, limit) : std::max(out, limit);
  }
  return out;
}

Limited limit_by_behavior(const LimitInput& in, const Behavior& behavior, ScalingHistory& history) {
  const std::int32_t wanted = stabilized(in, behavior, history);
  history.recommendations.push_back({in.desired, in.now});
  Limited out = bounded(in, behavior, wanted, history);
  if (wanted != in.desired) out.able = in.desired >= in.current ? kUpStabilized : kDownStabilized;
  return out;
}

}  // namespace davit::podautoscaler
