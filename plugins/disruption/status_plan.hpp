/// The status of a budget, and the bodies of its writes. Pure; kubernetes:pkg/controller/disruption
/// updatePdbStatus and failSafe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plugins/disruption/budget.hpp"
#include "plugins/disruption/disrupted_pods.hpp"

namespace davit::disruption {

struct BudgetStatus {
  std::int64_t expected_pods = 0;
  std::int64_t desired_healthy = 0;
  std::int64_t current_healthy = 0;
  EvictionTimes disrupted_pods;

  [[nodiscard]] std::int64_t disruptions_allowed() const {
    const std::int64_t spare = current_healthy - desired_healthy;
    return expected_pods > 0 && spare > 0 ? spare : 0;
  }
};

/// Whether the budget has this status already, so that nothing is written.
[[nodiscard]] bool is_current(const PodDisruptionBudget& budget, const BudgetStatus& status);

/// The whole budget with this status. Rule: docs/spec/disruption.md, section 8.1.
[[nodiscard]] std::string status_body(const PodDisruptionBudget& budget, const BudgetStatus& status,
                                      WallTime now);

/// The whole budget, which allows nothing because its status cannot be computed. The rest of its
/// status stays. Rule: docs/spec/disruption.md, section 8.3.
[[nodiscard]] std::string failure_body(const PodDisruptionBudget& budget, std::string_view why,
                                       WallTime now);

}  // namespace davit::disruption
