/// One reconcile of a set's pods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/kube/pod.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugins/statefulset/bodies.hpp"
#include "plugins/statefulset/pod_control.hpp"
#include "plugins/statefulset/replica_plan.hpp"
#include "plugins/statefulset/stateful_set.hpp"
#include "plugins/statefulset/status_plan.hpp"

namespace davit::statefulset {

/// The knowledge of one sync. The references must outlive the reconcile.
struct ReconcileInput {
  const StatefulSet& set;
  const std::vector<Pod>& pods;  ///< Those that the set has claimed.
  Version current{};
  Version update{};
  UpdateStrategy strategy{};
  WallTime now{};
};

struct ReconcileOutcome {
  SetStatus status{};  ///< Counters and names of revisions only.
  Status error{};
  /// The unavailable replicas, if the update step counted them.
  std::optional<std::int64_t> unavailable{};
};

/// Brings the pods of a set to what the plans say. Rules: docs/spec/statefulset.md, 10.
///
///   replicas ──▶ claims of condemned pods ──▶ condemned pods ──▶ update
///
/// Ordered management works on one pod after the other, and a pod that is not in order ends the
/// reconcile. Parallel management works on batches that grow.
class Reconciler {
 public:
  Reconciler(const PodControl& control, const ReconcileInput& input);

  [[nodiscard]] ReconcileOutcome run();

 private:
  /// Whether the next pod follows.
  enum class Flow : std::uint8_t { kContinue, kEnd };
  struct Step {
    Status status{};
    Flow flow = Flow::kContinue;
  };

  [[nodiscard]] Status work(ReconcileOutcome& outcome);
  [[nodiscard]] Step replicas();
  [[nodiscard]] Step replicas_at_once();
  /// Maintains the places with these indexes, all at once.
  [[nodiscard]] std::vector<Step> maintain(std::span<const std::int64_t> indexes) const;
  [[nodiscard]] Status condemned_claims() const;
  [[nodiscard]] Step condemned_pods() const;
  [[nodiscard]] Status update(ReconcileOutcome& outcome) const;

  /// The state of a place; that of a pod that is not created for an empty one.
  [[nodiscard]] PodState state_at(std::int64_t index) const;
  /// The version of the pod for an empty place.
  [[nodiscard]] const Version& version_for(std::int64_t index) const;
  [[nodiscard]] std::string name_at(std::int64_t index) const;

  const PodControl& control_;
  const ReconcileInput& input_;
  const OrdinalRange range_;
  const Management management_;
  std::vector<Candidate> candidates_;  ///< As many as pods.
  LineUp line_;
};

}  // namespace davit::statefulset
