#include "plugins/statefulset/replica_plan.hpp"

#include <algorithm>

namespace davit::statefulset {
namespace {

/// The lowest place that is empty or has an unavailable pod, else the lowest unavailable pod
/// outside the range.
std::optional<std::int64_t> find_first_unhealthy(const LineUp& line,
                                                 std::span<const Candidate> pods,
                                                 const OrdinalRange& range) {
  std::int64_t index = 0;
  for (const auto& [present, position] : line.replicas) {
    if (present != index || pods[position].state.is_unavailable()) break;
    ++index;
  }
  if (index < range.count) return range.first + index;
  for (auto it = line.condemned.rbegin(); it != line.condemned.rend(); ++it) {
    if (pods[*it].state.is_unavailable()) return pods[*it].state.ordinal;
  }
  return std::nullopt;
}

}  // namespace

LineUp line_up(std::span<const Candidate> pods, const OrdinalRange& range) {
  LineUp line;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const std::int64_t ordinal = pods[i].state.ordinal;
    if (ordinal < 0) continue;
    if (!range.contains(ordinal)) {
      line.condemned.push_back(i);
      continue;
    }
    const auto [place, is_free] = line.replicas.try_emplace(ordinal - range.first, i);
    if (!is_free && pods[i].has_canonical_name) place->second = i;
  }
  std::stable_sort(line.condemned.begin(), line.condemned.end(), [&](std::size_t a, std::size_t b) {
    return pods[a].state.ordinal > pods[b].state.ordinal;
  });
  line.first_unhealthy = find_first_unhealthy(line, pods, range);
  return line;
}

ReplicaPlan plan_replica(const PodState& pod, Management management) {
  using Act = ReplicaPlan::Act;
  if (pod.is_finished()) return {.act = pod.terminating ? Act::kWait : Act::kRemove};
  if (!pod.is_created()) return {.act = Act::kCreate};
  const bool waits = management == Management::kOrdered &&
                     (pod.terminating || !pod.is_running_and_ready() || !pod.available);
  return {.act = waits ? Act::kWait : Act::kRefresh, .completes_claims = pod.is_pending()};
}

CondemnedAct plan_condemned(const PodState& pod, std::optional<std::int64_t> first_unhealthy,
                            Management management) {
  const bool is_ordered = management == Management::kOrdered;
  if (pod.terminating) return is_ordered ? CondemnedAct::kWait : CondemnedAct::kSkip;
  const bool is_healthy = pod.is_running_and_ready() && pod.available;
  if (is_ordered && !is_healthy && pod.ordinal != first_unhealthy) return CondemnedAct::kWait;
  return CondemnedAct::kRemove;
}

bool uses_current(const UpdateStrategy& strategy, const OrdinalRange& range, std::int64_t ordinal,
                  std::int64_t current_replicas) {
  if (strategy.has_block) return ordinal - range.first < strategy.partition;
  return strategy.rolling && ordinal - range.first < current_replicas;
}

std::vector<std::int64_t> plan_update(std::span<const UpdateCandidate> by_index,
                                      std::string_view update, const UpdateStrategy& strategy) {
  std::vector<std::int64_t> deleted;
  if (strategy.on_delete) return deleted;
  const bool one_by_one = !strategy.max_unavailable;
  std::int64_t room = 1;
  if (!one_by_one) {
    room = *strategy.max_unavailable -
           std::count_if(by_index.begin(), by_index.end(),
                         [](const UpdateCandidate& each) { return each.unavailable; });
  }
  const std::int64_t least = std::max<std::int64_t>(strategy.partition, 0);
  const auto count = static_cast<std::int64_t>(by_index.size());
  for (std::int64_t i = count - 1; i >= least && room > 0; --i) {
    const UpdateCandidate& pod = by_index[static_cast<std::size_t>(i)];
    if (pod.revision != update && !pod.terminating) {
      deleted.push_back(i);
      --room;
    } else if (one_by_one && pod.unavailable) {
      break;
    }
  }
  return deleted;
}

}  // namespace davit::statefulset
