/// spec.behavior of an autoscaler: how fast it may scale.
#pragma once

#include <cstdint>
#include <davit/object.hpp>
#include <optional>
#include <vector>

namespace davit::podautoscaler {

/// A limit to the change within a time.
struct RatePolicy {
  enum class Unit : std::uint8_t { kPods, kPercent };

  Unit unit = Unit::kPods;
  std::int32_t value = 0;
  std::int32_t period_seconds = 0;
};

/// The rules of one direction.
struct ScalingRules {
  enum class Select : std::uint8_t { kMax, kMin, kDisabled };

  std::optional<std::int32_t> window_seconds{};
  Select select = Select::kMax;
  std::vector<RatePolicy> policies{};
  std::optional<double> tolerance{};

  /// The longest period of a policy.
  [[nodiscard]] std::int32_t longest_period() const;
};

struct Behavior {
  ScalingRules up{};
  ScalingRules down{};
};

/// Nothing without spec.behavior. What the server's defaults would have completed is completed.
[[nodiscard]] std::optional<Behavior> read_behavior(Value behavior);

}  // namespace davit::podautoscaler
