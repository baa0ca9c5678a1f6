#include "plugins/endpoint/trigger_times.hpp"

#include <algorithm>
#include <utility>

namespace davit::endpoint {

std::optional<WallTime> TriggerTimes::next(const Key& key, const Service& service,
                                           std::span<const Pod> pods) {
  const std::lock_guard lock(mutex_);
  const bool known = states_.contains(key);
  State& old = states_[key];
  State now;
  std::optional<WallTime> earliest;
  const auto changed = [&earliest](WallTime time) {
    earliest = earliest ? std::min(*earliest, time) : time;
  };
  for (const Pod& pod : pods) {
    const std::optional<WallTime> time = pod.ready_transition_time();
    if (!time) continue;
    const auto before = old.pods.find(pod.name());
    if (before == old.pods.end() || *time > before->second) changed(*time);
    now.pods.insert_or_assign(std::string(pod.name()), *time);
  }
  now.service = service.creation_time();
  if (now.service && (!old.service || *now.service > *old.service)) changed(*now.service);
  old = std::move(now);
  return known ? earliest : old.service;
}

void TriggerTimes::forget(const Key& key) {
  const std::lock_guard lock(mutex_);
  states_.erase(key);
}

}  // namespace davit::endpoint
