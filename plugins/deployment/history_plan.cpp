#include "plugins/deployment/history_plan.hpp"

#include <algorithm>

namespace davit::deployment {
namespace {

bool lower_revision(const SetFacts& a, const SetFacts& b) {
  if (!a.revision || !b.revision || *a.revision == *b.revision) return created_before(a, b);
  return *a.revision < *b.revision;
}

bool is_scaled_to_zero(const SetFacts& set) {
  return set.existing == 0 && set.wanted == 0 && set.generation <= set.observed_generation &&
         !set.deleting;
}

}  // namespace

std::vector<std::size_t> plan_history_cleanup(const RolloutFacts& rollout, const SetList& sets) {
  if (!rollout.history_limit) return {};
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < sets.old().size(); ++i) {
    if (!sets.all[i].deleting) candidates.push_back(i);
  }
  const std::int64_t excess = static_cast<std::int64_t>(candidates.size()) - *rollout.history_limit;
  if (excess <= 0) return {};

  // Insertion keeps the result defined although sets without a readable revision make the order
  // not strict; the list is already sorted by age.
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    for (std::size_t k = i; k > 0; --k) {
      if (!lower_revision(sets.all[candidates[k]], sets.all[candidates[k - 1]])) break;
      std::swap(candidates[k], candidates[k - 1]);
    }
  }
  candidates.resize(static_cast<std::size_t>(excess));
  std::erase_if(candidates, [&](std::size_t i) { return !is_scaled_to_zero(sets.all[i]); });
  return candidates;
}

}  // namespace davit::deployment
