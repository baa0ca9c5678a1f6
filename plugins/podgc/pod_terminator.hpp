/// Forced deletion of pods: markFailedAndDeletePodWithCondition.
#pragma once

#include <davit/context.hpp>
#include <davit/kube/pod.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace davit::podgc {

/// A reason for deletion, as the metrics name it.
struct DeletionReason {
  std::string_view name;
  bool is_disruption = false;  ///< The pod gets the condition DisruptionTarget.
};

inline constexpr DeletionReason kTerminated{"terminated"};
inline constexpr DeletionReason kOutOfService{"out-of-service"};
inline constexpr DeletionReason kOrphaned{"orphaned", true};
inline constexpr DeletionReason kUnscheduled{"unscheduled"};

/// The strategic merge patch of a pod's status that makes it Failed. The pod's UID is its
/// precondition. `now` becomes the time of the condition, if the reason has one and the pod has
/// not been in it before.
[[nodiscard]] std::string failed_patch(const Pod& pod, const DeletionReason& reason, WallTime now);

/// Makes pods Failed that have not ended, and deletes them without grace. Counts and logs what
/// fails, since the next pass tries again.
class PodTerminator {
 public:
  /// For a controller's constructor. `cluster` must outlive this.
  explicit PodTerminator(Context& cluster);

  /// Blocks until all responses are here. For syncs and timers.
  void run(std::span<const Pod> pods, const DeletionReason& reason) const;

 private:
  /// The pods that are still to be deleted.
  [[nodiscard]] std::vector<Pod> fail(std::span<const Pod> pods,
                                      const DeletionReason& reason) const;
  void remove(const std::vector<Pod>& pods, const DeletionReason& reason) const;
  void note_failure(const Pod& pod, const DeletionReason& reason, const Status& error) const;

  Context& cluster_;
  Metric deleted_;
  Metric errors_;
};

}  // namespace davit::podgc
