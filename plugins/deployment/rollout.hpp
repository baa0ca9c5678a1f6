/// One sync of one Deployment, from its ReplicaSets to its status.
#pragma once

#include <davit/queue.hpp>
#include <vector>

#include "plugins/deployment/cluster.hpp"
#include "plugins/deployment/new_set.hpp"
#include "plugins/deployment/rollback.hpp"
#include "plugins/deployment/rollout_state.hpp"
#include "plugins/deployment/set_scaler.hpp"
#include "plugins/deployment/status_edits.hpp"
#include "plugins/deployment/status_report.hpp"

namespace davit::deployment {

/// Decides in which order its parts carry out the plans. Edits of the Deployment's status and
/// revision reach the server with the status at the end, or before an error is returned. Lives
/// within one sync, on its thread.
class Rollout {
 public:
  /// `owned` are the ReplicaSets of the Deployment, in any order. `cluster` must outlive this.
  Rollout(const Cluster& cluster, const Deployment& deployment, std::vector<ReplicaSet> owned,
          const Instant& now);
  Rollout(const Rollout&) = delete;
  Rollout& operator=(const Rollout&) = delete;

  /// Everything after the claim of the ReplicaSets.
  [[nodiscard]] Result<Again> run();

 private:
  [[nodiscard]] Result<Again> step();
  [[nodiscard]] Result<Again> roll();
  [[nodiscard]] Result<Again> recreate();
  [[nodiscard]] Result<Again> scale_and_report();
  [[nodiscard]] bool has_old_pods() const;

  RolloutState state_;
  StatusEdits edits_{state_};
  StatusReport report_{state_, edits_};
  NewSet new_set_{state_, edits_};
  SetScaler scaler_{state_};
  Rollback rollback_{state_, edits_, new_set_};
};

}  // namespace davit::deployment
