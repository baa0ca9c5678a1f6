#include "plugins/disruption/disrupted_pods.hpp"

#include <algorithm>

namespace davit::disruption {

EvictionTimes eviction_times(const PodDisruptionBudget& budget) {
  EvictionTimes out;
  for (const Member& each : budget.disrupted_pods().members()) {
    out.emplace(each.key, parse_time(each.value.string()).value_or(kTimeMin));
  }
  return out;
}

DisruptedPods plan_disrupted(const EvictionTimes& present, std::span<const Pod> pods,
                             WallTime now) {
  DisruptedPods out;
  for (const Pod& pod : pods) {
    if (pod.is_being_deleted()) continue;
    const auto found = present.find(std::string(pod.name()));
    if (found == present.end()) continue;
    const WallTime due = found->second + kDeletionTimeout;
    if (due < now) {
      out.overdue.push_back(pod);
      continue;
    }
    out.kept.insert(*found);
    if (!out.recheck || due < *out.recheck) out.recheck = due;
  }
  return out;
}

std::int64_t count_healthy(std::span<const Pod> pods, const EvictionTimes& disrupted,
                           WallTime now) {
  return std::count_if(pods.begin(), pods.end(), [&](const Pod& pod) {
    if (pod.is_being_deleted() || !pod.is_ready()) return false;
    const auto found = disrupted.find(std::string(pod.name()));
    return found == disrupted.end() || found->second + kDeletionTimeout <= now;
  });
}

}  // namespace davit::disruption
