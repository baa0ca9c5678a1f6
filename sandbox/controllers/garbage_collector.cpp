#include "sandbox/controllers/garbage_collector.hpp"

#include <algorithm>

namespace davit::sandbox {

namespace {

using Outcome = ApiWriter::Outcome;
using Step = GarbagePlan::Step;

/// A patch that holds only for this version.
Json patch_of(const Version& version) {
  return Json::object(
      {{"metadata", Json::object({{"uid", version.uid},
                                  {"resourceVersion", std::to_string(version.revision)}})}});
}

Json without(const std::vector<std::string>& finalizers, std::string_view dropped) {
  Json out = Json::array();
  for (const std::string& each : finalizers) {
    if (each != dropped) out.push_back(each);
  }
  return out;
}

/// The references as they are written, `kept` only, with their `blocks`.
Json owners_json(const Json& object, const std::vector<OwnerReference>& kept) {
  Json out = Json::array();
  for (const Json& each : object.get("metadata").get("ownerReferences").items()) {
    const auto found = std::find_if(kept.begin(), kept.end(), [&](const OwnerReference& owner) {
      return owner.uid == each.text_at({"uid"});
    });
    if (found == kept.end()) continue;
    Json& written = out.push_back(each);
    if (written.contains("blockOwnerDeletion")) written.set("blockOwnerDeletion", found->blocks);
  }
  return out;
}

}  // namespace

void GarbageCollector::on_relist(const Collection& collection) {
  std::vector<Uid> gone;
  for (const auto& [uid, node] : nodes_) {
    if (node.collection == collection) gone.push_back(uid);
  }
  for (const Uid& each : gone) forget(each);
  // An owner may have gone unseen; whether it did is looked up for each.
  for (const auto& [uid, node] : nodes_) queue_.insert(uid);
}

void GarbageCollector::observe(const Collection& collection, const Change& change) {
  const Version& version = *change.object;
  const Uid& uid = version.uid;
  forget(uid);
  if (change.type == ChangeType::kDeleted) {
    if (dependents_.contains(uid)) gone_.insert(uid);
    return queue_dependents(uid);
  }
  Node node{collection, version.ns, version.name, object_meta(version)};
  const bool waits = node.meta.deletes_dependents() || node.meta.orphans_dependents();
  if (node.meta.owners.empty() && !waits) return;
  for (const OwnerReference& each : node.meta.owners) dependents_[each.uid].insert(uid);
  queue_.insert(uid);
  queue_owners(node);
  if (node.meta.deletes_dependents()) queue_dependents(uid);
  nodes_.emplace(uid, std::move(node));
}

void GarbageCollector::forget(const Uid& uid) {
  const auto found = nodes_.find(uid);
  if (found == nodes_.end()) return;
  queue_owners(found->second);
  for (const OwnerReference& each : found->second.meta.owners) {
    const auto siblings = dependents_.find(each.uid);
    if (siblings == dependents_.end()) continue;
    siblings->second.erase(uid);
    if (siblings->second.empty()) dependents_.erase(siblings);
  }
  nodes_.erase(found);
}

void GarbageCollector::queue_dependents(const Uid& uid) {
  const auto found = dependents_.find(uid);
  if (found != dependents_.end()) queue_.insert(found->second.begin(), found->second.end());
}

void GarbageCollector::queue_owners(const Node& node) {
  for (const OwnerReference& each : node.meta.owners) {
    if (nodes_.contains(each.uid)) queue_.insert(each.uid);
  }
}

Time GarbageCollector::act(Time now) {
  writer_.begin_round(now);
  // Not when the last dependent is forgotten: that one may only have changed.
  std::erase_if(gone_, [this](const Uid& uid) { return !dependents_.contains(uid); });
  std::shared_ptr<const ResourceSet> current = parts_.resources();
  if (current != resources_) queue_.merge(unknown_);
  resources_ = std::move(current);
  for (auto each = retries_.begin(); each != retries_.end();) {
    if (each->second <= now) queue_.insert(each->first);
    each = each->second <= now ? retries_.erase(each) : std::next(each);
  }
  while (!queue_.empty()) {
    const Uid uid = std::move(queue_.extract(queue_.begin()).value());
    if (!handle(uid)) retries_[uid] = now + writer_.retry_after();
  }
  Time next = writer_.next_round();
  for (const auto& [uid, due] : retries_) next = std::min(next, due);
  return next;
}

ResourcePtr GarbageCollector::resource_of(const Node& node) const {
  const auto sharing = resources_->sharing(node.collection);
  return sharing.empty() ? nullptr : sharing.front();
}

OwnerState GarbageCollector::state_of(const OwnerReference& owner, const Version& dependent) const {
  const ResourcePtr resource = resources_->find_kind(owner.api_version, owner.kind);
  if (resource == nullptr) {
    return gone_.contains(owner.uid) ? OwnerState::kAbsent : OwnerState::kUnknown;
  }
  if (resource->namespaced && dependent.ns.empty()) return OwnerState::kUnknown;
  const VersionPtr found =
      parts_.store.get(resource->collection, resource->namespaced ? dependent.ns : "", owner.name);
  if (found == nullptr || found->uid != owner.uid) return OwnerState::kAbsent;
  return object_meta(*found).deletes_dependents() ? OwnerState::kWaiting : OwnerState::kPresent;
}

DependentsState GarbageCollector::dependents_of(const Uid& uid) const {
  DependentsState out;
  const auto found = dependents_.find(uid);
  if (found == dependents_.end()) return out;
  for (const Uid& each : found->second) {
    const auto node = nodes_.find(each);
    if (node == nodes_.end()) continue;
    ++out.count;
    const auto& owners = node->second.meta.owners;
    if (std::any_of(owners.begin(), owners.end(), [&](const OwnerReference& owner) {
          return owner.uid == uid && owner.blocks;
        })) {
      ++out.blocking;
    }
    out.some_delete_theirs |= node->second.meta.deletes_dependents();
  }
  return out;
}

bool GarbageCollector::handle(const Uid& uid) {
  unknown_.erase(uid);
  const auto node = nodes_.find(uid);
  if (node == nodes_.end()) return true;
  const ResourcePtr resource = resource_of(node->second);
  if (resource == nullptr) return true;
  const VersionPtr version =
      parts_.store.get(node->second.collection, node->second.ns, node->second.name);
  if (version == nullptr || version->uid != uid) return true;
  const ObjectMeta meta = object_meta(*version);
  std::vector<OwnerState> owners;
  for (const OwnerReference& each : meta.owners) {
    owners.push_back(state_of(each, *version));
    if (owners.back() == OwnerState::kUnknown) unknown_.insert(uid);
  }
  return carry_out(plan_garbage(meta, owners, dependents_of(uid)), *resource, *version);
}

bool GarbageCollector::carry_out(const GarbagePlan& plan, const Resource& resource,
                                 const Version& version) {
  const std::string path = object_path(resource, version.ns, version.name);
  switch (plan.step) {
    case Step::kNothing:
      return true;
    case Step::kFreeDependents:
      return free_dependents(version);
    case Step::kDropFinalizer: {
      Json patch = patch_of(version);
      patch["metadata"].set("finalizers", without(object_meta(version).finalizers, plan.finalizer));
      return is_done(writer_.merge(path, patch));
    }
    case Step::kKeepOwners:
      return write_owners(path, version, plan.owners);
    case Step::kUnblockAndDelete:
      if (!write_owners(path, version, plan.owners)) return false;
      [[fallthrough]];
    case Step::kDelete:
      return is_done(writer_.remove(
          path, Json::object({{"kind", "DeleteOptions"},
                              {"apiVersion", "v1"},
                              {"preconditions", Json::object({{"uid", version.uid}})},
                              {"propagationPolicy", to_text(plan.policy)}})));
  }
  return true;
}

bool GarbageCollector::free_dependents(const Version& owner) {
  bool all = true;
  const auto found = dependents_.find(owner.uid);
  if (found == dependents_.end()) return true;
  for (const Uid& uid : found->second) {
    const Node& node = nodes_.at(uid);
    const ResourcePtr resource = resource_of(node);
    const VersionPtr version = parts_.store.get(node.collection, node.ns, node.name);
    if (resource == nullptr || version == nullptr || version->uid != uid) continue;
    std::vector<OwnerReference> kept = object_meta(*version).owners;
    std::erase_if(kept, [&](const OwnerReference& each) { return each.uid == owner.uid; });
    all = write_owners(object_path(*resource, node.ns, node.name), *version, kept) && all;
  }
  return all;  // The dependents' changes bring the owner back here, to lose its finalizer.
}

bool GarbageCollector::write_owners(const std::string& path, const Version& version,
                                    const std::vector<OwnerReference>& owners) {
  Json patch = patch_of(version);
  patch["metadata"].set("ownerReferences", owners_json(version.json(), owners));
  return is_done(writer_.merge(path, patch));
}

}  // namespace davit::sandbox
