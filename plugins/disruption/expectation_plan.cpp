#include "plugins/disruption/expectation_plan.hpp"

#include <algorithm>
#include <davit/kube/int_or_percent.hpp>

namespace davit::disruption {
namespace {

bool is_set(Value bound) { return bound && bound.kind() != Kind::kNull; }

}  // namespace

Basis basis_of(const PodDisruptionBudget& budget) {
  if (is_set(budget.max_unavailable())) return Basis::kScales;
  const Value min_available = budget.min_available();
  if (!is_set(min_available)) return Basis::kNothing;
  return min_available.kind() == Kind::kNumber ? Basis::kPods : Basis::kScales;
}

Result<Expectation> plan_expectation(const PodDisruptionBudget& budget, std::int64_t total) {
  if (basis_of(budget) == Basis::kNothing) return Expectation{};
  // Upstream counts in 32 bits, which also keeps percentages of the number from overflowing.
  const std::int64_t expected = std::clamp<std::int64_t>(total, INT32_MIN, INT32_MAX);
  const bool is_upper_bound = is_set(budget.max_unavailable());
  const Result<IntOrPercent> bound =
      IntOrPercent::parse(is_upper_bound ? budget.max_unavailable() : budget.min_available());
  if (!bound) return bound.error();
  const std::int64_t resolved = bound->resolve(expected, Rounding::kUp);
  return Expectation{expected,
                     is_upper_bound ? std::max<std::int64_t>(0, expected - resolved) : resolved};
}

}  // namespace davit::disruption
