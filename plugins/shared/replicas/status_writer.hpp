/// Writing the status of a ReplicaSet.
#pragma once

#include <atomic>
#include <cstdint>
#include <davit/client.hpp>
#include <davit/time.hpp>
#include <optional>
#include <string>

#include "plugins/shared/replicas/set_kinds.hpp"
#include "plugins/shared/replicas/status_plan.hpp"

namespace davit::replicas {

/// The status that a sync decided on.
struct StatusPlan {
  ReplicaCounts counts{};
  FailureChange failure = FailureChange::kKeep;
  std::string failure_reason{};   ///< For kAdd.
  std::string failure_message{};  ///< For kAdd.
  WallTime now{};                 ///< Transition time of an added condition.
};

/// Whether status.terminatingReplicas is counted: set by the operator, or learned from what the
/// server stores. The first write carries the field, and its response shows whether the server kept
/// it. If it did not, later writes that are due anyway still carry it, so the first object that
/// contains it reveals a server that was upgraded since. Thread-safe.
class TerminatingSupport {
 public:
  enum class Mode : std::uint8_t { kAuto, kOn, kOff };

  explicit TerminatingSupport(Mode mode) : mode_(mode) {}

  /// Whether status writes carry the field.
  [[nodiscard]] bool is_counted() const { return mode_ != Mode::kOff; }

  /// The support for this object. An object that has the field keeps it, regardless of the server's
  /// treatment of others.
  [[nodiscard]] TerminatingField of(const ReplicaSet& set) const;

  enum class Observed : std::uint8_t {
    kNone,
    kStoredNow,  ///< The server dropped the field before: sets that lack it are worth a sync.
  };
  /// Takes note of an object of the cache.
  Observed observe_cached(const ReplicaSet& set);
  /// Learns from the response to the first write that carried the field.
  void observe(const ReplicaSet& response);

 private:
  const Mode mode_;
  // Relaxed: a worker may act on an older value, which costs one needless write at most.
  std::atomic<TerminatingField> found_{TerminatingField::kUnproven};
};

/// The counters as the object has them.
[[nodiscard]] ReplicaCounts current_counts(const ReplicaSet& set);

/// A merge patch of the status subresource that turns `set`'s status into the planned one, provided
/// that the server still has `set`; where conditions change, in the same version. Conditions of
/// other types are repeated unchanged.
[[nodiscard]] std::string status_patch(const ReplicaSet& set, const StatusPlan& plan,
                                       std::int64_t observed_generation);

template <typename Set>
class StatusWriter {
 public:
  /// The effect of a plan on the stored status.
  enum class Change : std::uint8_t {
    kNone,
    kCounts,    ///< Only counters.
    kDecision,  ///< The generation that was acted on, or a condition.
  };

  /// `support` must outlive the writer.
  StatusWriter(Client client, TerminatingSupport& support) : client_(client), support_(support) {}

  [[nodiscard]] Change change(const Set& set, const StatusPlan& plan) const;

  /// Writes `plan`. After any failure the ReplicaSet is read from the server and the same status
  /// written once more; blocks for up to three requests.
  [[nodiscard]] Status write(const Set& set, const StatusPlan& plan) const;

 private:
  [[nodiscard]] Status patch(const Set& set, const StatusPlan& plan,
                             std::int64_t observed_generation) const;

  Client client_;
  TerminatingSupport& support_;
};

}  // namespace davit::replicas
