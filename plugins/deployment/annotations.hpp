/// The annotations through which a Deployment and its ReplicaSets keep their history. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace davit::deployment {

inline constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
inline constexpr std::string_view kRevisionHistory = "deployment.kubernetes.io/revision-history";
inline constexpr std::string_view kDesiredReplicas = "deployment.kubernetes.io/desired-replicas";
inline constexpr std::string_view kMaxReplicas = "deployment.kubernetes.io/max-replicas";
inline constexpr std::string_view kRollbackTo = "deprecated.deployment.rollback.to";
inline constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
inline constexpr std::string_view kTemplateHash = "pod-template-hash";

/// False for the annotations that belong to one object and are never copied to another.
[[nodiscard]] bool is_shared_annotation(std::string_view key);

/// A revision annotation's number: 0 for an empty text, nothing when it is not a number.
[[nodiscard]] std::optional<std::int64_t> parse_revision(std::string_view text);

/// The desired-replicas or max-replicas annotation: an unsigned number that fits int32, or nothing.
[[nodiscard]] std::optional<std::int64_t> parse_replicas(std::string_view text);

/// The revision that a rollback.to annotation requests (0: the previous one). Nothing if it
/// requests none or is not a number.
[[nodiscard]] std::optional<std::int64_t> parse_rollback(std::string_view text);

/// `history` with `revision` at its end. The oldest entries go when the text would pass 2000 bytes,
/// the size that upstream grants it; a revision that alone is longer is left out.
[[nodiscard]] std::string append_to_history(std::string_view history, std::string_view revision);

}  // namespace davit::deployment
