#include "plugins/deployment/rolling_plan.hpp"

#include <algorithm>
#include <davit/mutant.hpp>

namespace davit::deployment {
namespace {

std::int64_t total_wanted(std::span<const SetFacts> sets) {
  std::int64_t total = 0;
  for (const SetFacts& set : sets) total += set.wanted;
  return total;
}

/// The old sets' sizes while the plan is made.
struct Shrinking {
  std::span<const SetFacts> sets;
  std::vector<std::int64_t> sizes;
  std::vector<Resize> plan;

  void shrink(std::size_t set, std::int64_t by) {
    sizes[set] -= by;
    plan.push_back({set, sizes[set]});
  }
};

/// Takes up to `budget` unavailable replicas away, oldest set first. False when a set reports more
/// available replicas than it wants: it is about to shrink by itself, so nothing can be planned.
bool remove_unhealthy(Shrinking& old, std::int64_t budget) {
  std::int64_t removed = 0;
  for (std::size_t i = 0; i < old.sets.size() && removed < budget; ++i) {
    const SetFacts& set = old.sets[i];
    if (set.wanted == 0 || set.wanted == set.available) continue;
    if (set.available > set.wanted) return false;
    const std::int64_t count = std::min(budget - removed, set.wanted - set.available);
    old.shrink(i, count);
    removed += count;
  }
  return true;
}

void remove_healthy(Shrinking& old, std::int64_t budget) {
  std::int64_t removed = 0;
  for (std::size_t i = 0; i < old.sets.size() && removed < budget; ++i) {
    if (old.sizes[i] == 0) continue;
    const std::int64_t count = std::min(old.sizes[i], budget - removed);
    old.shrink(i, count);
    removed += count;
  }
}

}  // namespace

std::int64_t new_set_size(const RolloutFacts& rollout, std::int64_t total, std::int64_t current) {
  if (rollout.strategy != Strategy::kRollingUpdate) return rollout.replicas;
  const std::int64_t room = mutant("max-surge") ? rollout.replicas : rollout.replicas_max() - total;
  if (room <= 0) return current;
  return current + std::min(room, rollout.replicas - current);
}

std::vector<Resize> plan_old_scale_down(const RolloutFacts& rollout, const SetList& sets) {
  const SetFacts& fresh = *sets.newest();
  Shrinking old{sets.old(), {}, {}};
  if (total_wanted(old.sets) == 0) return {};

  const std::int64_t floor = mutant("max-unavailable") ? 0 : rollout.available_min();
  const std::int64_t fresh_unavailable = fresh.wanted - fresh.available;
  const std::int64_t removable = total_wanted(sets.all) - floor - fresh_unavailable;
  if (removable <= 0) return {};

  for (const SetFacts& set : old.sets) old.sizes.push_back(set.wanted);
  if (!mutant("unhealthy-first") && !remove_unhealthy(old, removable)) return std::move(old.plan);
  // Inactive old sets take no part: upstream never looks at them here.
  std::int64_t available = fresh.available;
  for (const SetFacts& set : old.sets) {
    if (set.wanted > 0) available += set.available;
  }
  remove_healthy(old, available - floor);
  return std::move(old.plan);
}

}  // namespace davit::deployment
