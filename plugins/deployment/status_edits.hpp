/// Edits of a Deployment's status and revision within one sync.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/deployment/rollout_state.hpp"
#include "plugins/deployment/status_plan.hpp"

namespace davit::deployment {

/// Collects edits, which reach the server in one request. Each write carries the resourceVersion of
/// the snapshot, or that of this sync's last write, so another client's write makes it a conflict.
class StatusEdits {
 public:
  /// `state` must outlive this.
  explicit StatusEdits(const RolloutState& state);

  /// The status with this sync's edits.
  [[nodiscard]] DeploymentStatus& status() { return status_; }
  /// The status on the server.
  [[nodiscard]] const DeploymentStatus& stored() const { return stored_; }
  /// The Deployment's resourceVersion, own writes included.
  [[nodiscard]] const std::string& version() const { return version_; }
  /// The revision that this sync wrote over the snapshot's.
  [[nodiscard]] const std::optional<std::string>& revision_written() const {
    return revision_written_;
  }

  /// The revision annotation shall be `text`.
  void note_revision(std::string_view text);
  /// Sets the condition Progressing, unless the Deployment has no progress deadline.
  void note_progress(std::string_view reason, std::string message);
  /// A revision is to be written.
  [[nodiscard]] bool has_revision() const { return revision_to_write_.has_value(); }
  /// Anything is to be written.
  [[nodiscard]] bool pending() const;
  /// Writes what is pending.
  [[nodiscard]] Status flush() { return write(status_); }
  /// Writes the differences between stored() and `next`, and the revision.
  [[nodiscard]] Status write(const DeploymentStatus& next);

 private:
  [[nodiscard]] std::string patch(const DeploymentStatus& next) const;

  const RolloutState& state_;
  std::string version_;
  DeploymentStatus stored_;
  DeploymentStatus status_;
  std::optional<std::string> revision_to_write_;
  std::optional<std::string> revision_written_;
};

}  // namespace davit::deployment
