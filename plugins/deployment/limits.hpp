/// maxSurge and maxUnavailable as numbers of pods. Pure.
#pragma once

#include <cstdint>
#include <davit/kube/int_or_percent.hpp>

namespace davit::deployment {

struct Limits {
  std::int64_t surge = 0;
  std::int64_t unavailable = 0;

  friend bool operator==(const Limits&, const Limits&) = default;
};

/// spec.strategy.rollingUpdate.
struct WantedLimits {
  IntOrPercent surge = IntOrPercent::of(0);
  IntOrPercent unavailable = IntOrPercent::of(0);
};

/// Both limits of `wanted` (spec.strategy.rollingUpdate) against `replicas`: the surge rounded up,
/// the unavailability down. If both round to 0, one pod may be unavailable, because otherwise no
/// rollout could begin. Upstream: ResolveFenceposts.
[[nodiscard]] Limits resolve_limits(const WantedLimits& wanted, std::int64_t replicas);

/// Reads a rollingUpdate's value; an absent one is 0.
[[nodiscard]] Result<IntOrPercent> read_limit(const Value& value);

}  // namespace davit::deployment
