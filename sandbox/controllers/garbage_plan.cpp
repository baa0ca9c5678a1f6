#include "sandbox/controllers/garbage_plan.hpp"

#include <algorithm>

namespace davit::sandbox {

namespace {

using Step = GarbagePlan::Step;

bool any(const std::vector<OwnerState>& owners, OwnerState wanted) {
  return std::find(owners.begin(), owners.end(), wanted) != owners.end();
}

PropagationPolicy policy_of(const ObjectMeta& meta) {
  if (meta.has_finalizer(kOrphanFinalizer)) return PropagationPolicy::kOrphan;
  return meta.has_finalizer(kForegroundFinalizer) ? PropagationPolicy::kForeground
                                                  : PropagationPolicy::kBackground;
}

std::vector<OwnerReference> unblocked(std::vector<OwnerReference> owners) {
  for (OwnerReference& each : owners) each.blocks = false;
  return owners;
}

/// For an object that one living owner keeps.
GarbagePlan keep_present(const ObjectMeta& meta, const std::vector<OwnerState>& owners) {
  GarbagePlan plan;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i] == OwnerState::kPresent) plan.owners.push_back(meta.owners[i]);
  }
  plan.step = plan.owners.size() == owners.size() ? Step::kNothing : Step::kKeepOwners;
  return plan;
}

}  // namespace

std::string_view to_text(PropagationPolicy policy) {
  switch (policy) {
    case PropagationPolicy::kBackground:
      return "Background";
    case PropagationPolicy::kForeground:
      return "Foreground";
    case PropagationPolicy::kOrphan:
      return "Orphan";
  }
  return "";
}

GarbagePlan plan_garbage(const ObjectMeta& meta, const std::vector<OwnerState>& owners,
                         const DependentsState& dependents) {
  if (meta.orphans_dependents()) {
    if (dependents.count > 0) return {Step::kFreeDependents, {}, {}};
    return {Step::kDropFinalizer, kOrphanFinalizer, {}};
  }
  if (meta.deletes_dependents()) {
    if (dependents.blocking > 0) return {};
    return {Step::kDropFinalizer, kForegroundFinalizer, {}};
  }
  if (meta.deleting || owners.empty() || any(owners, OwnerState::kUnknown)) return {};
  if (any(owners, OwnerState::kPresent)) return keep_present(meta, owners);
  if (any(owners, OwnerState::kWaiting) && dependents.count > 0) {
    // Two objects that own each other would wait for each other without end.
    if (dependents.some_delete_theirs) {
      return {Step::kUnblockAndDelete, {}, unblocked(meta.owners), PropagationPolicy::kForeground};
    }
    return {Step::kDelete, {}, {}, PropagationPolicy::kForeground};
  }
  return {Step::kDelete, {}, {}, policy_of(meta)};
}

}  // namespace davit::sandbox
