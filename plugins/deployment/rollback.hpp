/// Rollback that the annotation deprecated.deployment.rollback.to requests, which apps/v1 still
/// honours. Upstream: rollback.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/queue.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/deployment/new_set.hpp"
#include "plugins/deployment/rollout_state.hpp"
#include "plugins/deployment/status_edits.hpp"

namespace davit::deployment {

/// Replaces the Deployment's template by that of an older ReplicaSet, or says in an Event why not.
class Rollback {
 public:
  /// The references must outlive this.
  Rollback(const RolloutState& state, StatusEdits& edits, NewSet& new_set)
      : state_(state), edits_(edits), new_set_(new_set) {}

  /// The revision that the annotation requests; 0: the one before.
  [[nodiscard]] std::optional<std::int64_t> requested() const;
  /// Makes the new set, writes what is pending, and rolls back to `revision`; 0: the one before.
  [[nodiscard]] Result<Again> run(std::int64_t revision);

 private:
  [[nodiscard]] Result<Again> refuse(std::string_view reason, std::string_view message);
  [[nodiscard]] Result<Again> restore(std::size_t set, std::int64_t revision);
  [[nodiscard]] std::string restore_patch(const ReplicaSet& set) const;

  const RolloutState& state_;
  StatusEdits& edits_;
  NewSet& new_set_;
};

}  // namespace davit::deployment
