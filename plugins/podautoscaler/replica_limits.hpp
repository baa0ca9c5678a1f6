/// From what the metrics propose to what is written: stabilisation, rates, minReplicas and
/// maxReplicas. Pure. Rules: docs/spec/hpa.md, sections 10 and 11.
#pragma once

#include <cstdint>
#include <davit/time.hpp>
#include <string_view>
#include <vector>

#include "plugins/podautoscaler/behavior.hpp"

namespace davit::podautoscaler {

/// A number that the metrics proposed.
struct Recommendation {
  std::int32_t replicas = 0;
  Time at{};
};

/// A change of the scale that was written; its size without a sign.
struct ScaleEvent {
  std::int32_t size = 0;
  Time at{};
};

/// The past of one autoscaler, in this process only.
struct ScalingHistory {
  std::vector<Recommendation> recommendations{};
  std::vector<ScaleEvent> ups{};
  std::vector<ScaleEvent> downs{};

  /// Drops recommendations older than `window` or the windows of `behavior`, and events older than
  /// its longest periods.
  void prune(Time now, Duration window, const Behavior* behavior);
};

/// Reason and message of a condition. Literals.
struct Verdict {
  bool is_true = false;
  std::string_view reason;
  std::string_view message;
};

/// The outcome of the limits.
struct Limited {
  std::int32_t replicas = 0;
  Verdict able;     ///< For the condition AbleToScale, which is True.
  Verdict limited;  ///< For the condition ScalingLimited.
};

/// The start of the limits.
struct LimitInput {
  std::int32_t current = 0;
  std::int32_t desired = 0;
  std::int32_t min = 1;
  std::int32_t max = 1;
  Duration window = std::chrono::minutes(5);
  Time now{};
};

/// Without spec.behavior. Records the recommendation.
[[nodiscard]] Limited limit_by_default(const LimitInput& in, ScalingHistory& history);
/// With it. Records the recommendation.
[[nodiscard]] Limited limit_by_behavior(const LimitInput& in, const Behavior& behavior,
                                        ScalingHistory& history);

/// The most replicas that the rules allow now. Rule: section 11.2.
[[nodiscard]] std::int32_t scale_up_limit(std::int32_t current, const ScalingRules& rules,
                                          const ScalingHistory& history, Time now);
/// The fewest ones.
[[nodiscard]] std::int32_t scale_down_limit(std::int32_t current, const ScalingRules& rules,
                                            const ScalingHistory& history, Time now);

}  // namespace davit::podautoscaler
