#include "plugins/disruption/status_plan.hpp"

#include <davit/json_writer.hpp>
#include <davit/kube/condition.hpp>
#include <optional>
#include <span>
#include <utility>

#include "plugins/shared/pods/json_rewrite.hpp"

namespace davit::disruption {
namespace {

using pods::Replacement;
using pods::rewrite_object;

constexpr std::string_view kDisruptionAllowed = "DisruptionAllowed";

struct AllowedCondition {
  std::string_view status;
  std::string_view reason;
  std::string_view message;
  std::int64_t observed_generation;
};

AllowedCondition condition_of(const PodDisruptionBudget& budget, std::int64_t allowed) {
  if (allowed > 0) return {"True", "SufficientPods", "", budget.generation()};
  return {"False", "InsufficientPods", "", budget.generation()};
}

void write_condition(JsonWriter& out, const AllowedCondition& condition,
                     const std::optional<ConditionView>& present, WallTime now) {
  const bool is_changed = !present || present->status() != condition.status;
  const WallTime since = is_changed ? now : present->last_transition_time().value_or(now);
  out.begin_object().member("type", kDisruptionAllowed).member("status", condition.status);
  out.member("observedGeneration", condition.observed_generation);
  out.member("lastTransitionTime", format_time(since));
  out.member("reason", condition.reason).member("message", condition.message).end_object();
}

/// The conditions of the budget with this one in the place of the present one, or at the end.
void write_conditions(JsonWriter& out, const PodDisruptionBudget& budget,
                      const AllowedCondition& condition, WallTime now) {
  bool is_placed = false;
  out.begin_array();
  for (const Value each : budget.conditions().elements()) {
    const ConditionView present(each);
    if (is_placed || present.type() != kDisruptionAllowed) {
      out.value(each);
    } else {
      write_condition(out, condition, present, now);
      is_placed = true;
    }
  }
  if (!is_placed) write_condition(out, condition, std::nullopt, now);
  out.end_array();
}

std::string body_with_status(const PodDisruptionBudget& budget,
                             std::span<const Replacement> status) {
  using Kind = PodDisruptionBudget;
  const Replacement replacements[] = {
      {"apiVersion", [](JsonWriter& out) { out.string(Kind::kResource.api_version()); }},
      {"kind", [](JsonWriter& out) { out.string(Kind::kResource.kind); }},
      {"status", [&](JsonWriter& out) { rewrite_object(out, budget.status(), status); }}};
  JsonWriter out;
  rewrite_object(out, budget.value(), replacements);
  return std::move(out).text();
}

std::function<void(JsonWriter&)> number(std::int64_t value) {
  return [value](JsonWriter& out) { out.integer(value); };
}

void write_times(JsonWriter& out, const EvictionTimes& times) {
  out.begin_object();
  for (const auto& [pod, time] : times) out.member(pod, format_time(time));
  out.end_object();
}

}  // namespace

bool is_current(const PodDisruptionBudget& budget, const BudgetStatus& status) {
  const Value present = budget.status();
  const auto is = [present](std::string_view member, std::int64_t value) {
    return present[member].integer_or(0) == value;
  };
  const AllowedCondition wanted = condition_of(budget, status.disruptions_allowed());
  const auto condition = find_condition(budget.conditions(), kDisruptionAllowed);
  return is("disruptionsAllowed", status.disruptions_allowed()) &&
         is("currentHealthy", status.current_healthy) &&
         is("desiredHealthy", status.desired_healthy) && is("expectedPods", status.expected_pods) &&
         is("observedGeneration", budget.generation()) &&
         eviction_times(budget) == status.disrupted_pods && condition &&
         condition->status() == wanted.status && condition->reason() == wanted.reason;
}

std::string status_body(const PodDisruptionBudget& budget, const BudgetStatus& status,
                        WallTime now) {
  const auto write_disrupted = [&](JsonWriter& out) { write_times(out, status.disrupted_pods); };
  const Replacement replacements[] = {
      {"observedGeneration", number(budget.generation())},
      {"disruptionsAllowed", number(status.disruptions_allowed())},
      {"currentHealthy", number(status.current_healthy)},
      {"desiredHealthy", number(status.desired_healthy)},
      {"expectedPods", number(status.expected_pods)},
      {"disruptedPods",
       status.disrupted_pods.empty() ? std::function<void(JsonWriter&)>() : write_disrupted},
      {"conditions", [&](JsonWriter& out) {
         const AllowedCondition wanted = condition_of(budget, status.disruptions_allowed());
         write_conditions(out, budget, wanted, now);
       }}};
  return body_with_status(budget, replacements);
}

std::string failure_body(const PodDisruptionBudget& budget, std::string_view why, WallTime now) {
  const std::int64_t observed = budget.status()[&Names::observed_generation].integer_or(0);
  const AllowedCondition failed{"False", "SyncFailed", why, observed};
  const Replacement replacements[] = {
      {"disruptionsAllowed", number(0)},
      {"conditions", [&](JsonWriter& out) { write_conditions(out, budget, failed, now); }}};
  return body_with_status(budget, replacements);
}

}  // namespace davit::disruption
