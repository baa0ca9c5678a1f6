/// When pods that are ready, but not for long enough, become available (spec.minReadySeconds).
#pragma once

#include <chrono>
#include <davit/kube/pod.hpp>
#include <davit/queue.hpp>
#include <davit/time.hpp>
#include <optional>
#include <span>

namespace davit::pods {

/// When the first of the pods that are ready and not available at `now` becomes available; nothing
/// if none will.
[[nodiscard]] inline std::optional<WallTime> next_available_at(std::span<const Pod> pods,
                                                               std::chrono::seconds min_ready,
                                                               WallTime now) {
  std::optional<WallTime> next;
  for (const Pod& pod : pods) {
    const std::optional<WallTime> since = pod.ready_transition_time();
    if (!since || !pod.is_ready()) continue;
    const WallTime at = *since + min_ready;
    if (at > now && (!next || at < *next)) next = at;
  }
  return next;
}

/// When to sync again an owner whose ready pods were not all available at `counted_at`. `now`: the
/// present, because writing the status took its time.
[[nodiscard]] inline Again when_available(std::span<const Pod> pods, std::chrono::seconds min_ready,
                                          WallTime counted_at, WallTime now) {
  if (min_ready <= std::chrono::seconds::zero()) return Again::when_changed();
  const std::optional<WallTime> next = next_available_at(pods, min_ready, counted_at);
  return Again::after(next ? Duration(*next - now) : Duration(min_ready));
}

}  // namespace davit::pods
