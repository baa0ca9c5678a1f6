/// Sizes of a Deployment's ReplicaSets, and the end of old ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <vector>

#include "plugins/deployment/rollout_state.hpp"
#include "plugins/deployment/scale_plan.hpp"

namespace davit::deployment {

/// Carries out the plans that scale ReplicaSets or delete them. Sizes are noted in the state.
class SetScaler {
 public:
  /// `state` must outlive this.
  explicit SetScaler(RolloutState& state) : state_(state) {}

  /// True if the size changed, false if it was correct or only annotations changed.
  [[nodiscard]] Result<bool> resize(std::size_t set, std::int64_t to, Marking marking);
  /// True when any size changed. Ends at the first error.
  [[nodiscard]] Result<bool> resize_all(const std::vector<Resize>& plan, Marking marking);
  /// Deletes old sets beyond the history limit.
  [[nodiscard]] Status clean_up_history();

 private:
  RolloutState& state_;
};

}  // namespace davit::deployment
