#include "plugins/garbagecollector/collector.hpp"

#include <davit/mutant.hpp>
#include <string>
#include <utility>

#include "plugins/garbagecollector/patch_plan.hpp"

namespace davit::garbage {
namespace {

OwnersPatch drop_owners(const Location& location, const std::string& uid,
                        const std::vector<std::string>& owners) {
  return {location, uid, drop_owners_patch(uid, owners),
          [owners](const LiveObject& live) { return drop_owners_merge(live, owners); }};
}

/// The references are those that the server has. The graph may still have a reference that is gone,
/// which a patch would restore, and lack a new one, which a merge patch would remove.
OwnersPatch unblock(const Location& location, const LiveObject& live) {
  if (mutant("unblock-live")) {
    const auto merge_what_was_read = [was = live](LiveObject now) {
      now.owners = was.owners;
      return unblock_merge(now);
    };
    return {location, live.uid, unblock_patch(live), merge_what_was_read};
  }
  return {location, live.uid, unblock_patch(live), &unblock_merge};
}

}  // namespace

Result<Again> Collector::sync_deletion(const Key& key) const {
  if (graph_.defers(SharedGraph::Work::kDeletion, key)) return Again::when_changed();
  const std::string& uid = uid_of(key);
  const std::optional<NodeState> node = graph_.find(uid);
  if (!node || (is_virtual(key) && !node->is_virtual)) return Again::when_changed();
  const Status done = is_doubt(key) ? resolve_doubt(*node) : attempt(*node);
  if (done.code() == Code::kNotFound) {
    graph_.remove_absent(node->identity);
    return Again::when_changed();
  }
  if (done.code() == Code::kWrongType) {
    constexpr int kRare = 2;
    log_.verbose(kRare, "left alone", {{"uid", uid}, {"why", done.message()}});
    return Again::when_changed();
  }
  if (!done.ok()) return done;
  const std::optional<NodeState> now = graph_.find(uid);
  if (!is_virtual(key) || !now || !now->is_virtual) return Again::when_changed();
  // Asked again with growing pauses until an informer shows it, or it is gone. No failure: the host
  // logs a conflict as the usual thing that it is.
  return Status(Code::kConflict, "no informer has shown " + node->identity.name + " yet");
}

Result<LiveObject> Collector::read(const NodeState& node, const Location& location) const {
  Result<LiveObject> live = objects_.get(location);
  if (live && live->uid != node.identity.uid) {
    return Status(Code::kNotFound, "another object has its name");
  }
  return live;
}

Status Collector::resolve_doubt(const NodeState& node) const {
  if (node.is_virtual) return {};
  const Result<Location> location = objects_.location_of(node.identity);
  if (!location) return location.error();
  // If it is there, its informer shows it soon, and later its end.
  return read(node, *location).error();
}

Status Collector::attempt(const NodeState& node) const {
  if (node.is_being_deleted && !node.deletes_dependents) return {};
  const Result<Location> location = objects_.location_of(node.identity);
  if (!location) return location.error();
  const Result<LiveObject> live = read(node, *location);
  if (!live) return live.error();
  if (node.deletes_dependents) return delete_dependents(node, *location);
  if (live->owners.empty()) return {};
  std::vector<Standing> standings;
  for (const Reference& each : live->owners) {
    const Result<Standing> standing = judge(each, node);
    if (!standing) return standing.error();
    standings.push_back(*standing);
  }
  const DependentsState dependents = graph_.dependents_state(node.identity.uid);
  return carry_out(plan_attempt(*live, standings, dependents), *location, *live);
}

Result<Standing> Collector::judge(const Reference& reference, const NodeState& node) const {
  if (graph_.is_absent(reference, node.identity.ns)) return Standing::kDangling;
  const Result<Location> location = objects_.location_of(owner_of(reference, node.identity.ns));
  if (!location) return location.error();
  const Result<LiveObject> owner = objects_.get(*location);
  if (!owner && owner.error().code() != Code::kNotFound) return owner.error();
  const Standing standing = owner ? standing_of(reference, *owner) : Standing::kDangling;
  if (standing == Standing::kDangling) graph_.add_absent(owner_of(reference, location->ns));
  return standing;
}

Status Collector::carry_out(const Attempt& attempt, const Location& location,
                            const LiveObject& live) const {
  switch (attempt.step) {
    case Attempt::Step::kNothing:
      return {};
    case Attempt::Step::kDropOwners:
      return objects_.patch({drop_owners(location, live.uid, attempt.uids)}).front();
    case Attempt::Step::kUnblockAndDelete:
      if (Status s = objects_.patch({unblock(location, live)}).front(); !s.ok()) return s;
      break;
    case Attempt::Step::kDelete:
      break;
  }
  return objects_.remove(location, live, attempt.policy);
}

Status Collector::delete_dependents(const NodeState& node, const Location& location) const {
  const std::string& uid = node.identity.uid;
  const DependentsState dependents = graph_.dependents_state(uid);
  if (!dependents.some_block) return objects_.drop_finalizer(location, uid, kForegroundFinalizer);
  graph_.delete_all(dependents.to_delete);
  return {};
}

Result<Again> Collector::sync_orphans(const Key& key) const {
  if (graph_.defers(SharedGraph::Work::kOrphaning, key)) return Again::when_changed();
  const std::optional<NodeState> owner = graph_.find(uid_of(key));
  if (!owner) return Again::when_changed();
  std::vector<OwnersPatch> patches;
  Status failed;
  const auto note = [&failed](const Status& status) {
    if (failed.ok()) failed = status.unless(Code::kNotFound);
  };
  for (const Identity& each : graph_.dependents(uid_of(key))) {
    const Result<Location> location = objects_.location_of(each);
    note(location.error());
    if (location) patches.push_back(drop_owners(*location, each.uid, {owner->identity.uid}));
  }
  for (const Status& each : objects_.patch(patches)) note(each);
  if (!failed.ok()) return failed;
  const Result<Location> location = objects_.location_of(owner->identity);
  if (!location) return location.error();
  const Status freed = objects_.drop_finalizer(*location, owner->identity.uid, kOrphanFinalizer);
  if (!freed.ok()) return freed;
  return Again::when_changed();
}

}  // namespace davit::garbage
