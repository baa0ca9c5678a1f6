/// The status of a ReplicaSet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace davit::replicas {

/// The one condition that this controller owns; others in the list belong to other controllers.
inline constexpr std::string_view kReplicaFailure = "ReplicaFailure";

/// The parts of an active pod that the status reads.
struct PodState {
  bool ready = false;
  bool available = false;
  bool fully_labeled = false;  ///< Carries every label of the template.
};

/// The counters of a ReplicaSet's status. Absent ones are 0, except `terminating`, where absent
/// means that the server or an older controller never stored it.
struct ReplicaCounts {
  std::int64_t replicas = 0;
  std::int64_t fully_labeled = 0;
  std::int64_t ready = 0;
  std::int64_t available = 0;
  std::optional<std::int64_t> terminating = std::nullopt;

  bool operator==(const ReplicaCounts&) const = default;
};

/// The server's treatment of status.terminatingReplicas: it stores the field if the gate
/// DeploymentReplicaSetTerminatingReplicas is on (from v1.35), and silently drops it otherwise.
enum class TerminatingField : std::uint8_t {
  kUnproven,  ///< No response has shown it yet.
  kStored,
  kDropped,
};

/// Whether the counters are worth a status write. An absent `terminating` is worth one, as it is
/// upstream, unless the server is known to drop the field: else every sync on an older server would
/// write in vain.
[[nodiscard]] bool counts_differ(const ReplicaCounts& current, const ReplicaCounts& wanted,
                                 TerminatingField field);

/// The counters but `terminating`.
[[nodiscard]] ReplicaCounts count_replicas(std::span<const PodState> active);

/// The change of the condition ReplicaFailure. While it is present it never changes: reason,
/// message and time are those of the first failure.
enum class FailureChange : std::uint8_t { kKeep, kAdd, kRemove };

/// The outcome of the sync's creations and deletions. kUntried: the sync may not scale, because the
/// cache does not show those of an earlier sync yet.
enum class ScaleOutcome : std::uint8_t { kUntried, kSucceeded, kFailed };

/// Whether the current status has the condition ReplicaFailure.
enum class FailureShown : std::uint8_t { kNo, kYes };

/// A sync that did not try to scale knows of no failure, and changes none (replicaset.md, Q2).
[[nodiscard]] FailureChange plan_failure(ScaleOutcome outcome, FailureShown shown);

/// The reason of a new ReplicaFailure condition.
[[nodiscard]] std::string_view failure_reason(std::size_t active, std::int64_t wanted);

}  // namespace davit::replicas
