/// The disruption controller: keeps the status of PodDisruptionBudgets, by which the server decides
/// whether a pod may be evicted.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/pod.hpp>
#include <string_view>
#include <vector>

#include "plugins/disruption/budget.hpp"
#include "plugins/disruption/expectation_plan.hpp"
#include "plugins/disruption/owner_scales.hpp"
#include "plugins/disruption/stale_targets.hpp"

namespace davit::disruption {

/// Read, decide, act: the rules are in expectation_plan, disrupted_pods and status_plan, which are
/// pure. Keeps nothing between syncs.
class DisruptionController final : public Controller {
 public:
  explicit DisruptionController(Context& cluster);

 private:
  /// Adds the budgets of a pod that changed or went.
  void note(const Pod& pod) const;
  [[nodiscard]] Result<Again> sync(const Key& key) const;
  /// Computes the status and writes it if it is another one.
  [[nodiscard]] Status update(const PodDisruptionBudget& budget) const;
  [[nodiscard]] Result<std::vector<Pod>> pods_of(const PodDisruptionBudget& budget) const;
  [[nodiscard]] Result<Expectation> expect(const PodDisruptionBudget& budget,
                                           const std::vector<Pod>& pods) const;
  /// Allows no disruption any more, since how many there may be is unknown.
  [[nodiscard]] Status fail_safe(const PodDisruptionBudget& budget, std::string_view why) const;
  [[nodiscard]] Status write(const PodDisruptionBudget& budget, std::string body) const;

  Context& cluster_;
  const Queue queue_;
  const Queue rechecks_;
  const Informer<PodDisruptionBudget> budgets_;
  const Informer<Pod> pods_;
  const OwnerScales scales_;
  const StaleTargets stale_targets_;
};

}  // namespace davit::disruption
