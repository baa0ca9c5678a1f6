/// The number of pods that a budget expects, and the number of them that must be healthy. Pure;
/// kubernetes:pkg/controller/disruption getExpectedPodCount.
#pragma once

#include <cstdint>
#include <davit/result.hpp>

#include "plugins/disruption/budget.hpp"

namespace davit::disruption {

/// The source of the number of expected pods.
enum class Basis {
  kNothing,  ///< The budget has neither bound.
  kPods,     ///< The pods that it selects.
  kScales,   ///< The scales of their owners.
};

[[nodiscard]] Basis basis_of(const PodDisruptionBudget& budget);

struct Expectation {
  std::int64_t expected = 0;
  std::int64_t desired_healthy = 0;
};

/// `total`: what basis_of() asks for. kInvalid if the bound is neither a number nor a percentage.
/// Rule: docs/spec/disruption.md, section 5.
[[nodiscard]] Result<Expectation> plan_expectation(const PodDisruptionBudget& budget,
                                                   std::int64_t total);

}  // namespace davit::disruption
