/// The order in which a controller with too many pods deletes them.
///
/// Jobs use upstream's ActivePods, a strict weak order. ReplicaSets use ActivePodsWithRanks and its
/// logarithmic scale-down, which has more criteria and compares ages by their magnitude. That
/// relation is not a strict weak order (equal times consult the restarts, different times do not)
/// and must not be given to std::sort.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <davit/kube/pod.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace davit::pods {

/// The annotation that ReplicaSets rank by.
inline constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";

/// The progress of a pod; deleting one with less progress costs less. An unknown phase counts as
/// kPending.
enum class PodProgress : std::uint8_t { kPending, kUnknown, kRunning };

[[nodiscard]] PodProgress pod_progress(std::string_view phase);

/// The fields of a pod that the ranking reads. The views must outlive it.
struct PodRank {
  std::string_view uid = {};
  std::string_view node = {};  ///< Empty: not scheduled.
  PodProgress progress = PodProgress::kPending;
  bool ready = false;
  std::optional<WallTime> ready_since = std::nullopt;  ///< Last transition of the Ready condition.
  std::optional<WallTime> created = std::nullopt;
  std::int32_t deletion_cost = 0;
  std::int64_t restarts = 0;          ///< Most restarts of a regular container.
  std::int64_t sidecar_restarts = 0;  ///< Most restarts of a restartable init container.
  std::size_t neighbours = 0;         ///< Active related pods on the same node, itself included.
};

/// Everything but the deletion cost and the neighbours; lives like the pod. Jobs do not rank by the
/// cost, and their note does not declare its annotation.
[[nodiscard]] PodRank pod_rank(const Pod& pod);

/// The value of the annotation controller.kubernetes.io/pod-deletion-cost; 0 for every text that
/// upstream refuses: empty, a plus sign, leading zeros, not a number, outside int32.
[[nodiscard]] std::int32_t parse_deletion_cost(std::string_view text);

/// floor(log2(now - then in nanoseconds)), -1 when `then` is not in the past.
[[nodiscard]] int age_bucket(WallTime then, WallTime now);

/// Whether a Job deletes `a` before `b`. Disregards deletion costs and neighbours.
/// Rule: docs/spec/job.md, 3.6.
[[nodiscard]] bool ranks_before(const PodRank& a, const PodRank& b);
/// Whether a ReplicaSet deletes `a` before `b`. UIDs order pods that are equal by every criterion.
[[nodiscard]] bool ranks_before(const PodRank& a, const PodRank& b, WallTime now);

/// The positions of `pods`, first to delete first. Where the criteria form a cycle any order of the
/// pods in it may come out; everywhere else each pod precedes those that it goes before.
[[nodiscard]] std::vector<std::size_t> deletion_order(std::span<const PodRank> pods, WallTime now);

/// The age of each ready pod in `victims` as a whole multiple of the age of the youngest ready pod
/// in `pods`: the samples of upstream's metric sorting_deletion_age_ratio.
[[nodiscard]] std::vector<double> deletion_age_ratios(std::span<const PodRank> pods,
                                                      std::span<const std::size_t> victims,
                                                      WallTime now);

}  // namespace davit::pods
