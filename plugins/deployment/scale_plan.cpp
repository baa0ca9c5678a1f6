#include "plugins/deployment/scale_plan.hpp"

#include <algorithm>
#include <cmath>
#include <davit/mutant.hpp>

namespace davit::deployment {
namespace {

constexpr std::int64_t kReplicasMax = 2147483647;

std::vector<std::size_t> active_sets(const SetList& sets) {
  std::vector<std::size_t> active;
  for (std::size_t i = 0; i < sets.all.size(); ++i) {
    if (sets.all[i].wanted > 0) active.push_back(i);
  }
  return active;
}

/// The one set that takes all replicas when at most one is active: none without any set.
std::optional<std::size_t> only_target(const SetList& sets,
                                       const std::vector<std::size_t>& active) {
  if (active.size() == 1) return active.front();
  if (sets.all.empty()) return std::nullopt;
  return sets.all.size() - 1;  // The new set, or else the newest old one.
}

bool is_saturated(const RolloutFacts& rollout, const SetFacts* fresh) {
  return fresh != nullptr && fresh->desired_marked == rollout.replicas &&
         fresh->wanted == rollout.replicas && fresh->available == rollout.replicas;
}

/// Largest first, so that the leftover of rounding goes where it weighs least. Among equals the
/// newest grows first and the oldest shrinks first.
void sort_by_size(std::vector<std::size_t>& order, std::span<const SetFacts> all,
                  std::int64_t change) {
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (all[a].wanted != all[b].wanted) return all[a].wanted > all[b].wanted;
    const bool newest_first = change > 0 || mutant("oldest-shrinks-first");
    return newest_first ? created_before(all[b], all[a]) : created_before(all[a], all[b]);
  });
}

/// The change of the set's size that keeps its share of the pods. Upstream: getReplicaSetFraction.
std::int64_t fraction(const RolloutFacts& rollout, const SetFacts& set,
                      std::int64_t reported_replicas) {
  if (rollout.replicas == 0) return -set.wanted;
  if (mutant("proportional-scaling")) return 0;
  const std::int64_t marked = set.max_marked.value_or(0);
  const std::int64_t before = marked != 0 ? marked : reported_replicas;
  if (before == 0) return 0;
  const double size =
      static_cast<double>(set.wanted * rollout.replicas_max()) / static_cast<double>(before);
  return static_cast<std::int64_t>(std::round(size)) - set.wanted;
}

std::vector<Resize> share(const RolloutFacts& rollout, const SetList& sets,
                          std::vector<std::size_t> order, std::int64_t reported_replicas) {
  std::int64_t total = 0;
  for (const std::size_t i : order) total += sets.all[i].wanted;
  const std::int64_t allowed = rollout.replicas > 0 ? rollout.replicas_max() : 0;
  const std::int64_t change = allowed - total;
  sort_by_size(order, sets.all, change);

  std::int64_t given = 0;
  std::vector<std::int64_t> sizes;
  for (const std::size_t i : order) {
    std::int64_t part = 0;
    if (given != change) {
      const std::int64_t rest = change - given;
      const std::int64_t wish = fraction(rollout, sets.all[i], reported_replicas);
      part = change > 0 ? std::min(wish, rest) : std::max(wish, rest);
    }
    sizes.push_back(sets.all[i].wanted + part);
    given += part;
  }
  if (change != 0) sizes.front() = std::max<std::int64_t>(0, sizes.front() + change - given);

  std::vector<Resize> resizes;
  for (std::size_t k = 0; k < order.size(); ++k) {
    // A forged max-replicas annotation may contain any number.
    resizes.push_back({order[k], std::clamp<std::int64_t>(sizes[k], 0, kReplicasMax)});
  }
  return resizes;
}

}  // namespace

bool is_scaling_event(const RolloutFacts& rollout, const SetList& sets) {
  return std::any_of(sets.all.begin(), sets.all.end(), [&](const SetFacts& set) {
    return set.wanted > 0 && set.desired_marked && *set.desired_marked != rollout.replicas;
  });
}

ScalePlan plan_scale(const RolloutFacts& rollout, const SetList& sets,
                     std::int64_t reported_replicas) {
  ScalePlan plan;
  std::vector<std::size_t> active = active_sets(sets);
  if (active.size() <= 1) {
    if (const auto target = only_target(sets, active)) {
      plan.resizes.push_back({*target, rollout.replicas});
    }
    return plan;
  }
  if (is_saturated(rollout, sets.newest())) {
    for (auto i = active.rbegin(); i != active.rend(); ++i) {
      if (*i != sets.all.size() - 1) plan.resizes.push_back({*i, 0});
    }
    return plan;
  }
  if (rollout.strategy != Strategy::kRollingUpdate) return plan;
  plan.marking = Marking::kAlways;
  plan.resizes = share(rollout, sets, std::move(active), reported_replicas);
  return plan;
}

}  // namespace davit::deployment
