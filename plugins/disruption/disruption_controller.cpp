#include "plugins/disruption/disruption_controller.hpp"

#include <algorithm>
#include <davit/kube/selector.hpp>
#include <memory>
#include <string>
#include <utility>

#include "plugins/disruption/disrupted_pods.hpp"
#include "plugins/disruption/status_plan.hpp"
#include "plugins/shared/pods/selector_text.hpp"

namespace davit::disruption {
namespace {

bool selects(const PodDisruptionBudget& budget, const Pod& pod) {
  const Result<Selector> selector = Selector::parse(budget.selector());
  return selector && selector->matches(pod.labels());
}

std::string multiple_budgets_text(const Pod& pod, const PodDisruptionBudget& chosen) {
  return "Pod \"" + std::string(pod.ns()) + "\"/\"" + std::string(pod.name()) +
         "\" matches multiple PodDisruptionBudgets.  Chose \"" + std::string(chosen.name()) +
         "\" arbitrarily.";
}

std::string unmanaged_text(const PodDisruptionBudget& budget) {
  return "Pods selected by this PodDisruptionBudget (selector: " +
         pods::selector_text(budget.selector()) +
         ") were found to be unmanaged. As a result, the status of the PDB cannot be calculated "
         "correctly, which may result in undefined behavior. To account for these pods please set "
         "\".spec.minAvailable\" field of the PDB to an integer value.";
}

}  // namespace

DisruptionController::DisruptionController(Context& cluster)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = "disruption", .workers = 1},
                                [this](const Key& key) { return sync(key); })),
      rechecks_(cluster.open_queue({.name = "disruption_recheck", .workers = 1},
                                   [this](const Key& key) -> Result<Again> {
                                     queue_.add_rate_limited(key);
                                     return Again::when_changed();
                                   })),
      budgets_(cluster.open_informer<PodDisruptionBudget>(
          {.any = [this](const Event<PodDisruptionBudget>& event) { queue_.add(event.current); }})),
      pods_(cluster.open_informer<Pod>({.added =
                                            [this](const Pod& pod) {
                                              note(pod);
                                              stale_targets_.note(pod);
                                            },
                                        .updated =
                                            [this](const Pod&, const Pod& pod) {
                                              note(pod);
                                              stale_targets_.note(pod);
                                            },
                                        .deleted = [this](const Pod& pod) { note(pod); }})),
      scales_(cluster),
      stale_targets_(cluster, pods_) {}

void DisruptionController::note(const Pod& pod) const {
  std::vector<PodDisruptionBudget> matching;
  for (const PodDisruptionBudget& each : budgets_.in_namespace(pod.ns())) {
    if (selects(each, pod)) matching.push_back(each);
  }
  // Upstream adds only the one that it chose, so that the others count the pod late.
  for (const PodDisruptionBudget& each : matching) queue_.add(each);
  if (matching.size() < 2) return;
  const auto chosen =
      std::min_element(matching.begin(), matching.end(),
                       [](const auto& a, const auto& b) { return a.name() < b.name(); });
  cluster_.events().warning(pod, "MultiplePodDisruptionBudgets",
                            multiple_budgets_text(pod, *chosen));
}

Result<Again> DisruptionController::sync(const Key& key) const {
  const Lookup<PodDisruptionBudget> budget = budgets_.get(key);
  if (!budget) return Again::when_changed();
  const Status updated = update(*budget);
  if (updated.ok()) return Again::when_changed();
  // Another writer was faster, or the host ends this: neither says anything about the pods.
  if (updated.code() == Code::kConflict || updated.code() == Code::kCancelled) return updated;
  cluster_.log().error("the status of a disruption budget cannot be computed or written",
                       {{"budget", key.text()}, {"error", updated.message()}});
  if (Status s = fail_safe(*budget, updated.message()); !s.ok()) return s;
  return Again::when_changed();
}

Status DisruptionController::update(const PodDisruptionBudget& budget) const {
  const Result<std::vector<Pod>> pods = pods_of(budget);
  if (!pods) {
    cluster_.events().warning(budget, "NoPods", "Failed to get pods: " + pods.error().message());
    return pods.error();
  }
  if (pods->empty()) cluster_.events().normal(budget, "NoPods", "No matching pods found");
  const Result<Expectation> expectation = expect(budget, *pods);
  if (!expectation) return expectation.error();

  const WallTime now = cluster_.wall_now();
  const DisruptedPods disrupted = plan_disrupted(eviction_times(budget), *pods, now);
  for (const Pod& each : disrupted.overdue) {
    const std::string ns(each.ns());
    // Upstream prints the namespace in place of the budget's name.
    cluster_.events().warning(
        each, "NotDeleted",
        "Pod was expected by PDB " + ns + "/" + ns + " to be deleted but it wasn't");
  }
  const BudgetStatus status{expectation->expected, expectation->desired_healthy,
                            count_healthy(*pods, disrupted.kept, now), disrupted.kept};
  if (!is_current(budget, status)) {
    if (Status s = write(budget, status_body(budget, status, now)); !s.ok()) return s;
  }
  if (disrupted.recheck) rechecks_.add_after(budget.key(), *disrupted.recheck - now);
  return {};
}

Result<std::vector<Pod>> DisruptionController::pods_of(const PodDisruptionBudget& budget) const {
  const Result<Selector> selector = Selector::parse(budget.selector());
  if (!selector) return selector.error();
  std::vector<Pod> out;
  if (selector->matches_nothing()) return out;
  for (const Pod& each : pods_.with_labels(budget.ns(), budget.selector()[&Names::match_labels])) {
    if (selector->matches(each.labels())) out.push_back(each);
  }
  return out;
}

Result<Expectation> DisruptionController::expect(const PodDisruptionBudget& budget,
                                                 const std::vector<Pod>& pods) const {
  const auto count = [&]() -> Result<Expectation> {
    if (basis_of(budget) != Basis::kScales) {
      return plan_expectation(budget, static_cast<std::int64_t>(pods.size()));
    }
    const Result<ScaleSum> sum = scales_.sum(pods);
    if (!sum) return sum.error();
    if (!sum->unmanaged.empty()) {
      cluster_.events().warning(budget, "UnmanagedPods", unmanaged_text(budget));
    }
    return plan_expectation(budget, sum->total);
  };
  Result<Expectation> out = count();
  if (!out && out.error().code() != Code::kCancelled) {
    cluster_.events().warning(
        budget, "CalculateExpectedPodCountFailed",
        "Failed to calculate the number of expected pods: " + out.error().message());
  }
  return out;
}

Status DisruptionController::fail_safe(const PodDisruptionBudget& budget,
                                       std::string_view why) const {
  return write(budget, failure_body(budget, why, cluster_.wall_now()));
}

Status DisruptionController::write(const PodDisruptionBudget& budget, std::string body) const {
  return cluster_.client()
      .update<PodDisruptionBudget>(budget.key(), std::move(body),
                                   {.subresource = "status", .answer = Answer::kMetadata})
      .error();
}

}  // namespace davit::disruption
