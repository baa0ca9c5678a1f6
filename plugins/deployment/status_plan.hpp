/// The status of a Deployment, computed from its ReplicaSets. Pure.
#pragma once

#include <cstdint>
#include <davit/kube/condition.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/deployment/facts.hpp"

namespace davit::deployment {

inline constexpr std::string_view kAvailable = "Available";
inline constexpr std::string_view kProgressing = "Progressing";
inline constexpr std::string_view kReplicaFailure = "ReplicaFailure";

/// status of a Deployment. Absent numbers are 0 where the API does not tell the two apart.
struct DeploymentStatus {
  std::int64_t observed_generation = 0;
  std::int64_t replicas = 0;
  std::int64_t updated = 0;
  std::int64_t ready = 0;
  std::int64_t available = 0;
  std::int64_t unavailable = 0;
  std::optional<std::int64_t> terminating;
  std::optional<std::int64_t> collision_count;
  ConditionList conditions;

  /// The reason of the condition `type`; empty without it.
  [[nodiscard]] std::string_view reason(std::string_view type) const;

  friend bool operator==(const DeploymentStatus&, const DeploymentStatus&) = default;
};

/// A condition that changes now. Times in objects have whole seconds, and `now` is cut to them.
[[nodiscard]] Condition make_condition(std::string_view type, std::string_view status,
                                       std::string_view reason, std::string message, WallTime now);

/// The status that follows from the sets: counts and the Available condition; the collision count
/// and every other condition are those of `current`. Sizes are those before this sync's writes.
/// Upstream: calculateStatus.
[[nodiscard]] DeploymentStatus plan_status(const RolloutFacts& rollout, const SetList& sets,
                                           const DeploymentStatus& current, WallTime now);

/// Whether `next` is worth a write over what the server stores. A server that lacks the field
/// terminatingReplicas would drop a lone 0 without a word, in every sync again; so that 0 counts
/// only where some ReplicaSet proves that the field is known.
[[nodiscard]] bool status_changed(const DeploymentStatus& stored, const DeploymentStatus& next,
                                  const SetList& sets);

/// Whether `next` shows a decision: a condition that turns, the generation that was acted on, a
/// hash collision. Otherwise it only counts on, and says when and how progress was last made.
[[nodiscard]] bool shows_decision(const DeploymentStatus& stored, const DeploymentStatus& next);

}  // namespace davit::deployment
