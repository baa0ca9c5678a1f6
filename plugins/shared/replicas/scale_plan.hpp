/// Decides the number of pods that a sync creates or deletes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace davit::replicas {

/// The most pods that one sync creates or deletes, as upstream's BurstReplicas: large enough to
/// fill a node pool in few rounds, small enough that one ReplicaSet does not hold a worker for
/// minutes.
inline constexpr std::size_t kBurstReplicas = 500;

/// At most one of the two is above zero.
struct ScalePlan {
  std::size_t create = 0;
  std::size_t remove = 0;

  bool operator==(const ScalePlan&) const = default;
};

/// Brings `active` pods toward `wanted`, in steps of at most kBurstReplicas. A negative `wanted`,
/// which the API server refuses, counts as zero.
[[nodiscard]] ScalePlan plan_scale(std::int64_t wanted, std::size_t active);

}  // namespace davit::replicas
