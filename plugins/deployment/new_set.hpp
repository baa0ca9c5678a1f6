/// The new ReplicaSet of a rollout. Upstream: getNewReplicaSet.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <string_view>

#include "plugins/deployment/rollout_state.hpp"
#include "plugins/deployment/status_edits.hpp"

namespace davit::deployment {

/// Brings about the one ReplicaSet that has the Deployment's template, and notes it in the state.
class NewSet {
 public:
  /// The references must outlive this.
  NewSet(RolloutState& state, StatusEdits& edits) : state_(state), edits_(edits) {}

  /// Brings the new set's annotations and minReadySeconds up to date, and notes its revision.
  /// Nothing when there is none.
  [[nodiscard]] Status refresh();
  /// Makes the new set unless there is one.
  [[nodiscard]] Status ensure();

 private:
  [[nodiscard]] Status write(std::int64_t revision);
  [[nodiscard]] Status take_existing(std::string_view name, const Status& error);
  [[nodiscard]] Status note_create_error(std::string_view name, const Status& error);
  void add_created_set(const ReplicaSet& response, std::int64_t size, std::int64_t revision);
  [[nodiscard]] std::int64_t next_revision() const;

  RolloutState& state_;
  StatusEdits& edits_;
};

}  // namespace davit::deployment
