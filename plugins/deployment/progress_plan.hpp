/// The Progressing condition: whether a rollout gets on, is done, or has run out of time. Pure.
#pragma once

#include <davit/time.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/deployment/facts.hpp"
#include "plugins/deployment/status_plan.hpp"

namespace davit::deployment {

inline constexpr std::string_view kNewSetCreated = "NewReplicaSetCreated";
inline constexpr std::string_view kNewSetFound = "FoundNewReplicaSet";
inline constexpr std::string_view kNewSetAvailable = "NewReplicaSetAvailable";
inline constexpr std::string_view kSetUpdated = "ReplicaSetUpdated";
inline constexpr std::string_view kSetCreateError = "ReplicaSetCreateError";
inline constexpr std::string_view kDeadlineExceeded = "ProgressDeadlineExceeded";
inline constexpr std::string_view kPausedReason = "DeploymentPaused";
inline constexpr std::string_view kResumedReason = "DeploymentResumed";

/// Whether all wanted replicas are updated and available, no old ones are left, and the status
/// describes this generation.
[[nodiscard]] bool is_complete(const RolloutFacts& rollout, const DeploymentStatus& status);

enum class Pace { kPaused, kRunning };

/// Records that the Deployment was paused or resumed, which stops and restarts the progress clock.
/// A deadline that has passed already stays passed.
void mark_pause(const RolloutFacts& rollout, Pace pace, DeploymentStatus& status, WallTime now);

/// The input of mark_progress(). `subject` begins the messages: `ReplicaSet "web-5d"`, or
/// `Deployment "web"` without a new set.
struct Progress {
  const DeploymentStatus& before;
  std::string_view subject;
  WallTime now;
};

/// Moves the Progressing condition of `next`, a status made by plan_status(). Upstream:
/// syncRolloutStatus.
void mark_progress(const RolloutFacts& rollout, const Progress& progress, DeploymentStatus& next);

/// Takes over the ReplicaFailure condition of a ReplicaSet, or drops ours when no set has one.
void mark_replica_failure(std::optional<Condition> failure, DeploymentStatus& next);

/// When to sync again even if nothing happens, so that a stuck rollout times out; nothing if the
/// deadline does not run. `stored` is the status on the server, `next` the equal status just
/// computed. Upstream: requeueStuckDeployment. Unlike upstream, a rollout that was complete needs
/// no check, since it cannot time out, and the last second is one wait instead of a poll.
[[nodiscard]] std::optional<Duration> next_check(const RolloutFacts& rollout,
                                                 const DeploymentStatus& stored,
                                                 const DeploymentStatus& next, WallTime now);

}  // namespace davit::deployment
