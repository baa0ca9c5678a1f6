/// The end of a sync: the Deployment's status.
#pragma once

#include <davit/queue.hpp>
#include <optional>
#include <string>

#include "plugins/deployment/rollout_state.hpp"
#include "plugins/deployment/status_edits.hpp"

namespace davit::deployment {

/// Writes the status, and returns when to check it again.
class StatusReport {
 public:
  /// The references must outlive this.
  StatusReport(const RolloutState& state, StatusEdits& edits) : state_(state), edits_(edits) {}

  /// Writes the status of a rollout in progress: counts, progress, failures.
  [[nodiscard]] Result<Again> progress();
  /// The same when old sets could not be made smaller, which delays neither the status nor the
  /// progress deadline. Returns the error, so that the key is tried again; once that has been given
  /// up, the deadline still queues the key.
  [[nodiscard]] Result<Again> progress_in_spite_of(const Status& error);
  /// Writes the counts and nothing else.
  [[nodiscard]] Result<Again> counts();

 private:
  /// Writes `next` and the revision, if they are worth it. A status that shows no decision may have
  /// to wait instead, so long.
  [[nodiscard]] Result<Duration> write(const DeploymentStatus& next);
  [[nodiscard]] std::optional<Condition> replica_failure() const;
  [[nodiscard]] std::string subject() const;

  const RolloutState& state_;
  StatusEdits& edits_;
};

}  // namespace davit::deployment
