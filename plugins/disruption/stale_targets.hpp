/// Conditions DisruptionTarget of pods whose disruption did not happen.
#pragma once

#include <davit/context.hpp>
#include <davit/kube/pod.hpp>
#include <optional>
#include <string>

namespace davit::disruption {

/// stalePodDisruptionTimeout: such a condition counts as stale from then on.
inline constexpr std::chrono::minutes kStaleTimeout{2};

/// The time until the pod's condition is stale, 0 if it is; nothing if it cannot become so.
/// Rule: docs/spec/disruption.md, section 9.
[[nodiscard]] std::optional<Duration> stale_in(const Pod& pod, WallTime now);

/// The strategic merge patch that ends the condition if the pod is still in the version read.
[[nodiscard]] std::string end_of_target_patch(const Pod& pod, WallTime now);

/// Sets stale conditions to False. Keeps nothing but keys in its queue.
class StaleTargets {
 public:
  /// For a controller's constructor. `cluster` must outlive this.
  StaleTargets(Context& cluster, const Informer<Pod>& pods);

  /// Looks at a pod that changed. For handlers.
  void note(const Pod& pod) const;

 private:
  [[nodiscard]] Result<Again> sync(const Key& key) const;

  Context& cluster_;
  const Informer<Pod> pods_;
  const Queue queue_;
};

}  // namespace davit::disruption
