/// The pods that a sync creates, deletes, waits for and replaces. Pure.
///
/// Rules: docs/spec/statefulset.md, 10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "plugins/statefulset/identity.hpp"
#include "plugins/statefulset/pod_state.hpp"

namespace davit::statefulset {

/// A pod as the line-up sees it.
struct Candidate {
  PodState state{};
  bool has_canonical_name = true;  ///< "web-1", not "web-01".
};

/// The pods of a set in their places. Positions are those in the candidates.
struct LineUp {
  std::map<std::int64_t, std::size_t> replicas;  ///< Keys are indexes: ordinals less the first.
  std::vector<std::size_t> condemned;            ///< Outside the range, highest ordinal first.
  std::optional<std::int64_t> first_unhealthy;   ///< The ordinal of a pod or of an empty place.
};

/// Pods without an ordinal have no place. If two claim one place, the canonical name wins.
[[nodiscard]] LineUp line_up(std::span<const Candidate> pods, const OrdinalRange& range);

/// spec.podManagementPolicy.
enum class Management : std::uint8_t { kOrdered, kParallel };

/// The work on one place of the range. Ordered management ends the sync after it, unless the act is
/// kRefresh.
struct ReplicaPlan {
  enum class Act : std::uint8_t {
    kWait,
    kRemove,
    kCreate,
    kRefresh,  ///< Identity, storage and owners of claims are brought in order.
  };
  Act act = Act::kWait;
  bool completes_claims = false;  ///< Before anything else: the pod is pending.

  friend bool operator==(const ReplicaPlan&, const ReplicaPlan&) = default;
};

[[nodiscard]] ReplicaPlan plan_replica(const PodState& pod, Management management);

/// The work on a pod outside the range.
enum class CondemnedAct : std::uint8_t {
  kSkip,
  kWait,    ///< Ends the sync.
  kRemove,  ///< With ordered management it ends the sync.
};

[[nodiscard]] CondemnedAct plan_condemned(const PodState& pod,
                                          std::optional<std::int64_t> first_unhealthy,
                                          Management management);

/// spec.updateStrategy.
struct UpdateStrategy {
  bool on_delete = false;
  bool rolling = true;    ///< The type is RollingUpdate.
  bool has_block = true;  ///< `rollingUpdate` is present.
  std::int64_t partition = 0;
  /// Pods that may be unavailable at once; nothing: one after the other.
  std::optional<std::int64_t> max_unavailable = std::nullopt;
};

/// Whether the pod for an empty place comes from the current revision, and not from the update.
/// `current_replicas`: of the stored status.
[[nodiscard]] bool uses_current(const UpdateStrategy& strategy, const OrdinalRange& range,
                                std::int64_t ordinal, std::int64_t current_replicas);

/// A place as the update step sees it; an empty one is unavailable, with the revision that its pod
/// was created from.
struct UpdateCandidate {
  std::string_view revision = {};
  bool terminating = false;
  bool unavailable = false;
};

/// The indexes to delete, in order. `update`: the name of the update revision.
[[nodiscard]] std::vector<std::int64_t> plan_update(std::span<const UpdateCandidate> by_index,
                                                    std::string_view update,
                                                    const UpdateStrategy& strategy);

}  // namespace davit::statefulset
