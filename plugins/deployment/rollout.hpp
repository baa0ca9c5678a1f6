/// Rollout: one sync of one Deployment, from its ReplicaSets to its status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/queue.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/deployment/cluster.hpp"
#include "plugins/deployment/facts.hpp"
#include "plugins/deployment/scale_plan.hpp"
#include "plugins/deployment/status_plan.hpp"

namespace davit::deployment {

/// Carries out what the plans decide. It works on one snapshot: what it writes is noted here and
/// never read back within the sync. Each write carries the resourceVersion of the snapshot, or that
/// of this sync's own last write to the object, so a write of anybody else ends it in a conflict.
///
/// Edits of the Deployment's status and revision collect in `status_` and `revision_to_write_`, and
/// reach the server in one request: with the status at the end, or before an error is returned.
///
/// One file a topic: rollout.cpp (the way through a sync), rollout_new_set.cpp, rollout_scale.cpp,
/// rollout_status.cpp, rollout_back.cpp. Lives within one sync, on its thread.
class Rollout {
 public:
  /// `owned` are the ReplicaSets of the Deployment, in any order. `cluster` must outlive this.
  Rollout(const Cluster& cluster, const Deployment& deployment, std::vector<ReplicaSet> owned,
          WallTime now);

  /// Everything after the claim of the ReplicaSets.
  [[nodiscard]] Result<Again> run();

 private:
  /// A ReplicaSet and what this sync made of it. `SetFacts` stays as the snapshot had it.
  struct OwnedSet {
    ReplicaSet snapshot;
    std::string version;
    std::int64_t size = 0;
    bool is_marked = false;  ///< Its two size annotations say what they should.
  };

  // rollout.cpp
  [[nodiscard]] Result<Again> step();
  [[nodiscard]] Result<Again> roll();
  [[nodiscard]] Result<Again> recreate();
  [[nodiscard]] bool has_old_pods() const;
  void find_new_set(std::vector<ReplicaSet> owned);
  [[nodiscard]] OwnedSet own(const ReplicaSet& set) const;
  [[nodiscard]] SetList sets() const { return {facts_, has_new_}; }
  [[nodiscard]] std::size_t new_set() const { return sets_.size() - 1; }

  // rollout_new_set.cpp
  /// Brings the new set's annotations and minReadySeconds up to date, and notes its revision.
  [[nodiscard]] Status refresh_new_set();
  [[nodiscard]] Status write_new_set(std::int64_t revision);
  /// Makes the new set unless there is one.
  [[nodiscard]] Status ensure_new_set();
  [[nodiscard]] Status take_existing(std::string_view name, const Status& error);
  [[nodiscard]] Status note_create_error(std::string_view name, const Status& error);
  void add_created_set(const ReplicaSet& response, std::int64_t size, std::int64_t revision);
  [[nodiscard]] std::int64_t next_revision() const;
  void note_revision(std::string_view text);
  void note_progress(std::string_view reason, std::string message);

  // rollout_scale.cpp
  [[nodiscard]] Result<Again> scale_and_report();
  /// True when the size changed, false when the set was as wanted or only its annotations changed.
  [[nodiscard]] Result<bool> resize(std::size_t set, std::int64_t to, Marking marking);
  /// True when any size changed. Ends at the first error.
  [[nodiscard]] Result<bool> resize_all(const std::vector<Resize>& plan, Marking marking);
  [[nodiscard]] Status clean_up_history();

  // rollout_status.cpp
  /// The status of a rollout that is under way: counts, progress, failures.
  [[nodiscard]] Result<Again> report();
  /// The same when old sets could not be made smaller, which keeps neither the status nor the
  /// progress deadline back. The error, so that the key is tried again; and when that has been
  /// given up, the deadline still wakes it.
  [[nodiscard]] Result<Again> report_in_spite_of(const Status& error);
  /// The counts and nothing else.
  [[nodiscard]] Result<Again> report_counts();
  [[nodiscard]] std::optional<Condition> replica_failure() const;
  [[nodiscard]] std::string subject() const;
  [[nodiscard]] bool has_pending_edits() const;
  /// Writes the differences between `stored_` and `next`, and the revision.
  [[nodiscard]] Status write_status(const DeploymentStatus& next);
  [[nodiscard]] std::string status_patch(const DeploymentStatus& next) const;

  // rollout_back.cpp
  [[nodiscard]] std::optional<std::int64_t> rollback_request() const;
  [[nodiscard]] Result<Again> roll_back(std::int64_t revision);
  [[nodiscard]] Result<Again> refuse_rollback(std::string_view reason, std::string_view message);
  [[nodiscard]] Result<Again> restore(std::size_t set, std::int64_t revision);
  [[nodiscard]] std::string restore_patch(const ReplicaSet& set) const;

  const Cluster& cluster_;
  const Deployment deployment_;
  const WallTime now_;
  const RolloutFacts rollout_;
  const Status limits_;  ///< Why maxSurge or maxUnavailable cannot be read.

  std::vector<OwnedSet> sets_;   ///< In SetList's order.
  std::vector<SetFacts> facts_;  ///< One each, in the same order.
  bool has_new_ = false;

  std::string version_;      ///< The Deployment's resourceVersion, own writes included.
  DeploymentStatus stored_;  ///< The status on the server.
  DeploymentStatus status_;  ///< With this sync's edits.
  std::optional<std::string> revision_to_write_;
  std::optional<std::string> revision_written_;  ///< In the place of the snapshot's.
};

}  // namespace davit::deployment
