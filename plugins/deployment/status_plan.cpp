#include "plugins/deployment/status_plan.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <utility>

namespace davit::deployment {
namespace {

/// The sum over the sets, or nothing when a set that its controller has seen does not report it.
std::optional<std::int64_t> total_terminating(std::span<const SetFacts> sets) {
  std::int64_t total = 0;
  for (const SetFacts& set : sets) {
    if (set.terminating) {
      total += *set.terminating;
    } else if (set.observed_generation != 0) {
      return std::nullopt;
    }
  }
  return total;
}

}  // namespace

std::string_view DeploymentStatus::reason(std::string_view type) const {
  const Condition* found = conditions.find(type);
  return found == nullptr ? std::string_view() : found->reason;
}

Condition make_condition(std::string_view type, std::string_view status, std::string_view reason,
                         std::string message, WallTime now) {
  const WallTime second = std::chrono::floor<std::chrono::seconds>(now);
  return {std::string(type),
          std::string(status),
          std::string(reason),
          std::move(message),
          second,
          second};
}

DeploymentStatus plan_status(const RolloutFacts& rollout, const SetList& sets,
                             const DeploymentStatus& current, WallTime now) {
  DeploymentStatus next;
  next.observed_generation = rollout.generation;
  next.collision_count = current.collision_count;
  next.conditions = current.conditions;
  std::int64_t wanted = 0;
  for (const SetFacts& set : sets.all) {
    wanted += set.wanted;
    next.replicas += set.existing;
    next.ready += set.ready;
    next.available += set.available;
  }
  if (sets.newest() != nullptr) next.updated = sets.newest()->existing;
  next.unavailable = wanted - next.available;
  if (!mutant("negative-count")) next.unavailable = std::max<std::int64_t>(0, next.unavailable);
  next.terminating = total_terminating(sets.all);

  if (next.available >= rollout.available_min()) {
    next.conditions.set(make_condition(kAvailable, "True", "MinimumReplicasAvailable",
                                       "Deployment has minimum availability.", now));
  } else {
    next.conditions.set(make_condition(kAvailable, "False", "MinimumReplicasUnavailable",
                                       "Deployment does not have minimum availability.", now));
  }
  return next;
}

bool status_changed(const DeploymentStatus& stored, const DeploymentStatus& next,
                    const SetList& sets) {
  if (stored == next) return false;
  const bool field_known = std::any_of(sets.all.begin(), sets.all.end(), [](const SetFacts& set) {
    return set.terminating.has_value();
  });
  if (stored.terminating || next.terminating != 0 || field_known) return true;
  DeploymentStatus without = next;
  without.terminating.reset();
  return stored != without;
}

bool shows_decision(const DeploymentStatus& stored, const DeploymentStatus& next) {
  if (stored.observed_generation != next.observed_generation ||
      stored.collision_count != next.collision_count ||
      stored.conditions.size() != next.conditions.size()) {
    return true;
  }
  return std::any_of(
      next.conditions.begin(), next.conditions.end(), [&stored](const Condition& each) {
        const Condition* before = stored.conditions.find(each.type);
        return before == nullptr || before->status != each.status || before->reason != each.reason;
      });
}

}  // namespace davit::deployment
