#include "plugins/garbagecollector/attempt_plan.hpp"

#include <algorithm>

namespace davit::garbage {
namespace {

std::vector<std::string> uids_with(Standing wanted, const LiveObject& live,
                                   const std::vector<Standing>& standings) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < standings.size(); ++i) {
    if (standings[i] == wanted) out.push_back(live.owners[i].uid);
  }
  return out;
}

/// The propagation that the object's own finalizers request.
Propagation own_policy(const LiveObject& live) {
  if (live.has_finalizer(kOrphanFinalizer)) return Propagation::kOrphan;
  if (live.has_finalizer(kForegroundFinalizer)) return Propagation::kForeground;
  return Propagation::kBackground;
}

}  // namespace

Standing standing_of(const Reference& reference, const LiveObject& owner) {
  if (owner.uid != reference.uid) return Standing::kDangling;
  const bool is_waiting = owner.is_being_deleted && owner.has_finalizer(kForegroundFinalizer);
  return is_waiting ? Standing::kWaiting : Standing::kSolid;
}

Attempt plan_attempt(const LiveObject& live, const std::vector<Standing>& standings,
                     const DependentsState& dependents) {
  std::vector<std::string> done = uids_with(Standing::kDangling, live, standings);
  const std::vector<std::string> waiting = uids_with(Standing::kWaiting, live, standings);
  const bool is_held = done.size() + waiting.size() < standings.size();
  if (is_held) {
    done.insert(done.end(), waiting.begin(), waiting.end());
    if (done.empty()) return {};
    return {Attempt::Step::kDropOwners, std::move(done)};
  }
  if (waiting.empty() || !dependents.are_there) {
    return {Attempt::Step::kDelete, {}, own_policy(live)};
  }
  // Such a dependent may wait for this object, which waits for its owner: a cycle.
  const bool may_be_cycle = dependents.some_delete_theirs;
  return {may_be_cycle ? Attempt::Step::kUnblockAndDelete : Attempt::Step::kDelete,
          {},
          Propagation::kForeground};
}

bool is_same_but_newer(const LiveObject& read, const LiveObject& now) {
  return now.uid == read.uid && now.resource_version != read.resource_version &&
         now.owners == read.owners;
}

}  // namespace davit::garbage
