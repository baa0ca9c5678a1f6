#include "plugins/garbagecollector/graph.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <map>

namespace davit::garbage {
namespace {

constexpr std::string_view kNodeKeys = "node";
constexpr std::string_view kVirtualKeys = "virtual";
constexpr std::string_view kDoubtKeys = "doubt";

Key key_of(const Node& node) {
  return node.is_virtual ? virtual_key(node.identity.uid) : node_key(node.identity.uid);
}

/// Whether an object has just begun to be deleted with a finalizer, as far as the event shows.
bool begins(const Observed& now, const Observed* past, bool Observed::*finalizer) {
  const auto runs = [finalizer](const Observed& object) {
    return object.is_being_deleted && object.*finalizer;
  };
  return runs(now) && (past == nullptr || !runs(*past));
}

/// The first reference of `dependent` to `uid`.
const Reference& reference_to(const std::string& uid, const Node& dependent) {
  return *std::find_if(dependent.owners.begin(), dependent.owners.end(),
                       [&uid](const Reference& each) { return each.uid == uid; });
}

}  // namespace

Key node_key(std::string_view uid) { return {std::string(kNodeKeys), std::string(uid)}; }
Key virtual_key(std::string_view uid) { return {std::string(kVirtualKeys), std::string(uid)}; }
Key doubt_key(std::string_view uid) { return {std::string(kDoubtKeys), std::string(uid)}; }
bool is_virtual(const Key& key) { return key.ns == kVirtualKeys; }
bool is_doubt(const Key& key) { return key.ns == kDoubtKeys; }

Effects Graph::observe(const Observed& now, const Observed* past) {
  Effects out;
  Node* found = node(now.identity.uid);
  if (found != nullptr && found->is_virtual) make_real(*found, now.identity, out);
  if (found == nullptr) {
    found = &add(now.identity);
    found->owners = now.owners;
    found->deletes_dependents = now.is_being_deleted && now.waits_for_dependents;
    link(*found, now.owners, out);
  } else {
    found->identity = now.identity;  // Its preferred version may have changed.
    if (found->owners != now.owners) update_owners(*found, now.owners, out);
  }
  if (now.is_being_deleted) found->is_being_deleted = true;
  if (begins(now, past, &Observed::orphans_dependents)) {
    out.orphans.push_back(key_of(*found));
  } else if (begins(now, past, &Observed::waits_for_dependents)) {
    found->deletes_dependents = true;
    for (const Node* each : found->dependents) out.deletions.push_back(key_of(*each));
    out.deletions.push_back(key_of(*found));
  }
  return out;
}

Effects Graph::remove(const Identity& gone) {
  Effects out;
  Node* const found = node(gone.uid);
  if (found == nullptr) return out;
  if (found->is_virtual) make_real(*found, gone, out);
  drop(*found, gone, out);
  return out;
}

Effects Graph::doubt(const Identity& object) {
  Effects out;
  Node* const found = node(object.uid);
  if (found == nullptr || found->is_virtual) return out;
  found->identity = object;
  out.deletions.push_back(doubt_key(object.uid));
  return out;
}

Effects Graph::remove_absent(const Identity& absent) {
  Effects out;
  Node* const found = node(absent.uid);
  if (found == nullptr) return out;
  if (found->is_virtual) {
    drop_virtual(*found, absent, out);
  } else if (found->identity == absent) {
    drop(*found, absent, out);
  } else {
    mark_absent(absent, split_dependents(*found, absent).matching, out);
  }
  return out;
}

std::optional<NodeState> Graph::find(const std::string& uid) const {
  const Node* const found = node(uid);
  if (found == nullptr) return std::nullopt;
  return NodeState{found->identity, found->owners, found->is_virtual, found->is_being_deleted,
                   found->deletes_dependents};
}

std::vector<Identity> Graph::dependents(const std::string& uid) const {
  std::vector<Identity> out;
  const Node* const found = node(uid);
  if (found == nullptr) return out;
  for (const Node* each : found->dependents) out.push_back(each->identity);
  return out;
}

DependentsState Graph::dependents_state(const std::string& uid) const {
  DependentsState out;
  const Node* const found = node(uid);
  if (found == nullptr) return out;
  out.are_there = !found->dependents.empty();
  for (const Node* each : found->dependents) {
    out.some_delete_theirs = out.some_delete_theirs || each->deletes_dependents;
    const bool blocks = std::any_of(
        each->owners.begin(), each->owners.end(),
        [&uid](const Reference& owner) { return owner.uid == uid && owner.is_blocking(); });
    if (!blocks) continue;
    out.some_block = true;
    if (!each->deletes_dependents) out.to_delete.push_back(key_of(*each));
  }
  return out;
}

std::vector<Identity> Graph::shown(std::string_view group, std::string_view kind) const {
  std::vector<Identity> out;
  for (const auto& [uid, each] : nodes_) {
    const Identity& identity = each->identity;
    const bool is_one = identity.kind == kind && group_of(identity.api_version) == group;
    if (is_one && !each->is_virtual) out.push_back(identity);
  }
  return out;
}

Node* Graph::node(const std::string& uid) const {
  const auto found = nodes_.find(uid);
  return found == nodes_.end() ? nullptr : found->second.get();
}

Node& Graph::add(Identity identity) {
  auto made = std::make_unique<Node>();
  made->identity = std::move(identity);
  Node& out = *made;
  nodes_.emplace(out.identity.uid, std::move(made));
  return out;
}

void Graph::make_real(Node& node, const Identity& identity, Effects& out) {
  node.is_virtual = false;
  if (node.identity == identity) return;
  for (Node* const each : split_dependents(node, identity).mismatching) {
    const bool is_elsewhere = !identity.ns.empty() && each->identity.ns != identity.ns;
    if (is_elsewhere) out.warnings.push_back({each->identity, reference_to(identity.uid, *each)});
    out.deletions.push_back(key_of(*each));
  }
  node.identity = identity;
}

void Graph::update_owners(Node& node, const std::vector<Reference>& owners, Effects& out) {
  std::map<std::string, Reference> removed;
  for (const Reference& each : node.owners) removed.insert_or_assign(each.uid, each);
  std::vector<Reference> added;
  const auto unblock = [&](const Reference& was) {
    const Node* const owner = was.is_blocking() ? this->node(was.uid) : nullptr;
    if (owner != nullptr) out.deletions.push_back(key_of(*owner));
  };
  for (const Reference& each : owners) {
    const auto was = removed.find(each.uid);
    if (was == removed.end()) {
      added.push_back(each);
      continue;
    }
    if (!each.is_blocking()) unblock(was->second);
    removed.erase(was);
  }
  for (const auto& [uid, was] : removed) unblock(was);
  node.owners = owners;
  link(node, added, out);
  for (const auto& [uid, was] : removed) {
    if (Node* const owner = this->node(uid)) unlink(*owner, node, out);
  }
}

void Graph::link(Node& node, const std::vector<Reference>& references, Effects& out) {
  bool is_suspect = false;
  for (const Reference& each : references) {
    Node* owner = this->node(each.uid);
    if (owner == nullptr) {
      owner = &add(owner_of(each, node.identity.ns));
      owner->is_virtual = true;
      owner->dependents.insert(&node);
      out.deletions.push_back(key_of(*owner));
      continue;
    }
    owner->dependents.insert(&node);
    is_suspect = is_suspect || is_suspicious(node, each, *owner, out);
  }
  if (is_suspect) out.deletions.push_back(key_of(node));
}

bool Graph::is_suspicious(const Node& node, const Reference& reference, const Node& owner,
                          Effects& out) const {
  const std::string& ns = node.identity.ns;
  if (!owner.identity.ns.empty() && owner.identity.ns != ns) {
    if (!owner.is_virtual) out.warnings.push_back({node.identity, reference});
    return true;
  }
  if (!is_named_by(owner.identity, reference)) return true;
  return owner.identity.ns.empty() && !ns.empty() && owner.is_virtual;
}

void Graph::drop_virtual(Node& node, const Identity& absent, Effects& out) {
  const SplitDependents dependents = split_dependents(node, absent);
  if (dependents.mismatching.empty()) return drop(node, absent, out);
  mark_absent(absent, dependents.matching, out);
  if (node.identity != absent) return;
  if (std::optional<Identity> other = other_identity(absent, dependents.mismatching)) {
    node.identity = *std::move(other);
    out.retries.push_back(key_of(node));
  }
}

void Graph::drop(Node& node, const Identity& as, Effects& out) {
  const std::string uid = node.identity.uid;
  for (const Reference& each : node.owners) {
    Node* const owner = this->node(each.uid);
    if (owner == nullptr) continue;
    if (owner->deletes_dependents && owner != &node) out.deletions.push_back(key_of(*owner));
    unlink(*owner, node, out);
  }
  mark_absent(as, {node.dependents.begin(), node.dependents.end()}, out);
  nodes_.erase(uid);
  out.forgotten.push_back(uid);
}

void Graph::unlink(Node& owner, Node& dependent, Effects& out) {
  owner.dependents.erase(&dependent);
  if (!owner.is_virtual || !owner.dependents.empty() || mutant("virtual-nodes-end")) return;
  out.forgotten.push_back(owner.identity.uid);
  nodes_.erase(out.forgotten.back());
}

void Graph::mark_absent(const Identity& absent, const std::vector<Node*>& dependents,
                        Effects& out) {
  if (dependents.empty()) return;
  absent_.add(absent);
  for (const Node* each : dependents) out.deletions.push_back(key_of(*each));
}

SplitDependents split_dependents(const Node& owner, const Identity& identity) {
  SplitDependents out;
  const auto add = [](std::vector<Node*>& list, Node* node) {
    if (list.empty() || list.back() != node) list.push_back(node);
  };
  for (Node* const each : owner.dependents) {
    if (!identity.ns.empty() && each->identity.ns != identity.ns) {
      out.mismatching.push_back(each);
      continue;
    }
    for (const Reference& reference : each->owners) {
      if (reference.uid != identity.uid) continue;
      add(is_named_by(identity, reference) ? out.matching : out.mismatching, each);
    }
  }
  return out;
}

std::optional<Identity> other_identity(const Identity& absent,
                                       const std::vector<Node*>& mismatching) {
  std::set<Identity> candidates;
  for (const Node* each : mismatching) {
    const std::string& ns = each->identity.ns;
    for (const Reference& reference : each->owners) {
      if (reference.uid != absent.uid) continue;
      const bool is_here = absent.ns.empty() || absent.ns == ns;
      if (is_here && is_named_by(absent, reference)) continue;
      Identity candidate = owner_of(reference, ns);
      const bool is_cluster_scoped = absent.ns.empty() && candidate.kind == absent.kind &&
                                     candidate.api_version == absent.api_version;
      if (is_cluster_scoped) candidate.ns.clear();
      if (candidate != absent) candidates.insert(std::move(candidate));
    }
  }
  if (candidates.empty()) return std::nullopt;
  const auto next = candidates.upper_bound(absent);
  return next == candidates.end() ? *candidates.begin() : *next;
}

}  // namespace davit::garbage
