#include "plugins/garbagecollector/graph.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <set>
#include <unordered_map>
#include <utility>

namespace davit::garbage {
namespace {

constexpr std::string_view kNodeKeys = "node";
constexpr std::string_view kVirtualKeys = "virtual";
constexpr std::string_view kDoubtKeys = "doubt";

Key key_of(const Node& node) {
  const std::string uid = node.uid.text();
  return node.is_virtual ? virtual_key(uid) : node_key(uid);
}

/// Whether an object has just begun to be deleted with a finalizer, as far as the event shows.
bool begins(const Observed& now, const Observed* past, bool Observed::*finalizer) {
  const auto runs = [finalizer](const Observed& object) {
    return object.is_being_deleted && object.*finalizer;
  };
  return runs(now) && (past == nullptr || !runs(*past));
}

/// The first reference of `dependent` to `uid`.
Reference reference_to(const Uid& uid, const Node& dependent) {
  const auto owners = dependent.owners();
  return std::find_if(owners.begin(), owners.end(),
                      [&uid](const Claim& each) { return each.uid == uid; })
      ->reference();
}

/// Whether the node has these coordinates. Its UID is that of `identity`.
bool is_at(const Node& node, const Identity& identity) {
  const TypeParts type = type_parts(node.type);
  return node.name.view() == identity.name && node.ns.view() == identity.ns &&
         type.kind == identity.kind && type.api_version == identity.api_version;
}

/// Whether the claim names these coordinates of its UID.
bool names(const Claim& claim, const Identity& identity) {
  const TypeParts type = type_parts(claim.type);
  return claim.name.view() == identity.name && type.kind == identity.kind &&
         type.api_version == identity.api_version;
}

bool has_owners(const Node& node, const std::vector<Reference>& owners) {
  const auto claims = node.owners();
  return std::equal(claims.begin(), claims.end(), owners.begin(), owners.end(),
                    [](const Claim& a, const Reference& b) {
                      const TypeParts type = type_parts(a.type);
                      return a.name.view() == b.name && a.controller == b.controller &&
                             a.blocks == b.blocks && type.kind == b.kind &&
                             type.api_version == b.api_version && a.uid == Uid(b.uid);
                    });
}

NodeState state_of(const Node& node) {
  return {node.identity(), node.references(), node.is_virtual, node.is_being_deleted,
          node.deletes_dependents};
}

/// The nodes that a node's list names.
std::vector<Node*> dependents_of(const Node& owner) {
  std::vector<Node*> out;
  for (const Claim* each = owner.dependents; each != nullptr; each = each->next) {
    out.push_back(each->dependent);
  }
  return out;
}

/// The dependents of a node whose references name `identity`, and those with other coordinates of
/// its UID or in another namespace. One that has two references can be in both.
struct SplitDependents {
  std::vector<Node*> matching;
  std::vector<Node*> mismatching;
};

SplitDependents split_dependents(const Node& owner, const Identity& identity) {
  SplitDependents out;
  const auto add = [](std::vector<Node*>& list, Node* node) {
    if (list.empty() || list.back() != node) list.push_back(node);
  };
  for (Node* const each : dependents_of(owner)) {
    if (!identity.ns.empty() && each->ns.view() != identity.ns) {
      out.mismatching.push_back(each);
      continue;
    }
    for (const Claim& claim : each->owners()) {
      if (!(claim.uid == owner.uid)) continue;
      add(names(claim, identity) ? out.matching : out.mismatching, each);
    }
  }
  return out;
}

}  // namespace

Key node_key(std::string_view uid) { return {std::string(kNodeKeys), std::string(uid)}; }
Key virtual_key(std::string_view uid) { return {std::string(kVirtualKeys), std::string(uid)}; }
Key doubt_key(std::string_view uid) { return {std::string(kDoubtKeys), std::string(uid)}; }
bool is_virtual(const Key& key) { return key.ns == kVirtualKeys; }
bool is_doubt(const Key& key) { return key.ns == kDoubtKeys; }

Effects Graph::observe(const Observed& now, const Observed* past) {
  Effects out;
  Node* found = node(Uid(now.identity.uid));
  const bool is_new = found == nullptr || found->is_virtual;
  // A restored backup brings owners back whose dependents must not go as those of absent ones.
  if (is_new && !mutant("returned-owner")) absent_.forget(now.identity.uid);
  if (found != nullptr && found->is_virtual) make_real(*found, now.identity, out);
  if (found == nullptr) {
    found = &add(now.identity);
    found->deletes_dependents = now.is_being_deleted && now.waits_for_dependents;
    update_owners(*found, now.owners, out);
  } else {
    set_identity(*found, now.identity);  // Its preferred version may have changed.
    if (!has_owners(*found, now.owners)) update_owners(*found, now.owners, out);
  }
  if (now.is_being_deleted) found->is_being_deleted = true;
  if (begins(now, past, &Observed::orphans_dependents)) {
    out.orphans.push_back(key_of(*found));
  } else if (begins(now, past, &Observed::waits_for_dependents)) {
    found->deletes_dependents = true;
    for (const Node* each : dependents_of(*found)) out.deletions.push_back(key_of(*each));
    out.deletions.push_back(key_of(*found));
  }
  return out;
}

Effects Graph::remove(const Identity& gone) {
  Effects out;
  Node* const found = node(Uid(gone.uid));
  if (found == nullptr) return out;
  if (found->is_virtual) make_real(*found, gone, out);
  drop(*found, gone, out);
  return out;
}

Effects Graph::doubt(const Identity& object) {
  Effects out;
  Node* const found = node(Uid(object.uid));
  if (found == nullptr || found->is_virtual) return out;
  set_identity(*found, object);
  out.deletions.push_back(doubt_key(object.uid));
  return out;
}

Effects Graph::remove_absent(const Identity& absent) {
  Effects out;
  Node* const found = node(Uid(absent.uid));
  if (found == nullptr) return out;
  if (found->is_virtual) {
    drop_virtual(*found, absent, out);
  } else if (is_at(*found, absent)) {
    drop(*found, absent, out);
  } else {
    mark_absent(absent, split_dependents(*found, absent).matching, out);
  }
  return out;
}

std::optional<NodeState> Graph::find(const std::string& uid) const {
  const Node* const found = node(Uid(uid));
  return found == nullptr ? std::nullopt : std::optional(state_of(*found));
}

std::vector<Identity> Graph::dependents(const std::string& uid) const {
  std::vector<Identity> out;
  const Node* const found = node(Uid(uid));
  if (found == nullptr) return out;
  for (const Node* each : dependents_of(*found)) out.push_back(each->identity());
  std::sort(out.begin(), out.end(),
            [](const Identity& a, const Identity& b) { return a.uid < b.uid; });
  return out;
}

DependentsState Graph::dependents_state(const std::string& uid) const {
  DependentsState out;
  const Node* const found = node(Uid(uid));
  if (found == nullptr) return out;
  out.are_there = found->dependents != nullptr;
  for (const Node* each : dependents_of(*found)) {
    out.some_delete_theirs = out.some_delete_theirs || each->deletes_dependents;
    const auto owners = each->owners();
    const bool blocks = std::any_of(owners.begin(), owners.end(), [found](const Claim& claim) {
      return claim.is_blocking() && claim.uid == found->uid;
    });
    if (!blocks) continue;
    out.some_block = true;
    if (!each->deletes_dependents) out.to_delete.push_back(key_of(*each));
  }
  return out;
}

std::vector<Identity> Graph::shown(std::string_view group, std::string_view kind) const {
  std::vector<Identity> out;
  for (const Node& each : nodes_) {
    const TypeParts type = type_parts(each.type);
    const bool is_one = type.kind == kind && group_of(type.api_version) == group;
    if (is_one && !each.is_virtual) out.push_back(each.identity());
  }
  return out;
}

Node* Graph::node(const Uid& uid) const {
  const auto found = nodes_.find(uid);
  // A set protects its elements from changes of what it finds them by. That is fixed in a Node.
  return found == nodes_.end() ? nullptr : const_cast<Node*>(&*found);
}

Node& Graph::add(const Identity& identity) {
  Node& out = const_cast<Node&>(*nodes_.emplace(Uid(identity.uid)).first);
  set_identity(out, identity);
  return out;
}

void Graph::set_identity(Node& node, const Identity& identity) {
  if (is_at(node, identity)) return;
  node.type = texts_.of(type_text(identity.api_version, identity.kind));
  node.ns = texts_.of(identity.ns);
  if (node.name.view() != identity.name) node.name = Text(identity.name);
}

void Graph::make_real(Node& node, const Identity& identity, Effects& out) {
  node.is_virtual = false;
  if (is_at(node, identity)) return;
  for (Node* const each : split_dependents(node, identity).mismatching) {
    const bool is_elsewhere = !identity.ns.empty() && each->ns.view() != identity.ns;
    if (is_elsewhere) out.warnings.push_back({each->identity(), reference_to(node.uid, *each)});
    out.deletions.push_back(key_of(*each));
  }
  set_identity(node, identity);
}

std::unique_ptr<Claim[]> Graph::set_claims(Node& node, const std::vector<Reference>& owners) {
  std::unique_ptr<Claim[]> made;
  if (!owners.empty()) made = std::make_unique<Claim[]>(owners.size());
  for (std::size_t i = 0; i < owners.size(); ++i) {
    Claim& claim = made[i];
    claim.uid = Uid(owners[i].uid);
    claim.type = texts_.of(type_text(owners[i].api_version, owners[i].kind));
    claim.dependent = &node;
    claim.controller = owners[i].controller;
    claim.blocks = owners[i].blocks;
    // Most references have the name of the owner's node, and share its memory.
    const Node* const owner = this->node(claim.uid);
    const bool is_shared = owner != nullptr && owner->name.view() == owners[i].name;
    claim.name = is_shared ? owner->name : Text(owners[i].name);
  }
  node.claim_count = static_cast<std::uint32_t>(owners.size());
  return std::exchange(node.claims, std::move(made));
}

void Graph::update_owners(Node& node, const std::vector<Reference>& owners, Effects& out) {
  const std::size_t before_count = node.claim_count;
  const std::unique_ptr<Claim[]> before = set_claims(node, owners);
  const std::span<Claim> past(before.get(), before_count);
  std::unordered_map<Uid, Claim*, UidHash> removed;  // The last of each UID.
  for (Claim& each : past) removed.insert_or_assign(each.uid, &each);
  const auto unblock = [&](const Claim& was) {
    const Node* const owner = was.is_blocking() ? this->node(was.uid) : nullptr;
    if (owner != nullptr) out.deletions.push_back(key_of(*owner));
  };
  std::vector<Claim*> added;
  for (Claim& each : node.owners()) {
    const auto was = removed.find(each.uid);
    if (was == removed.end()) {
      added.push_back(&each);
      continue;
    }
    if (!each.is_blocking()) unblock(*was->second);
    removed.erase(was);
    if (Claim* const edge = edge_to(each.uid, past)) replace(*edge, each);
  }
  for (const auto& [uid, was] : removed) unblock(*was);
  for (Claim& each : past) leave(each);
  link(node, added, out);
  for (const auto& [uid, was] : removed) {
    if (const Node* const owner = this->node(uid)) note_lost(*owner, out);
  }
}

void Graph::link(Node& node, const std::vector<Claim*>& added, Effects& out) {
  bool is_suspect = false;
  for (Claim* const each : added) {
    Node* owner = this->node(each->uid);
    if (owner == nullptr) {
      owner = &add(owner_of(each->reference(), node.ns.view()));
      owner->is_virtual = true;
      owner->name = each->name;
      join(*each, *owner);
      out.deletions.push_back(key_of(*owner));
      continue;
    }
    if (edge_to(each->uid, node.owners()) == nullptr) join(*each, *owner);
    is_suspect = is_suspect || is_suspicious(node, *each, *owner, out);
  }
  if (is_suspect) out.deletions.push_back(key_of(node));
}

bool Graph::is_suspicious(const Node& node, const Claim& claim, const Node& owner,
                          Effects& out) const {
  const std::string_view ns = node.ns.view();
  const std::string_view owner_ns = owner.ns.view();
  if (!owner_ns.empty() && owner_ns != ns) {
    if (!owner.is_virtual) out.warnings.push_back({node.identity(), claim.reference()});
    return true;
  }
  if (!(claim.type == owner.type && claim.name == owner.name)) return true;
  return owner_ns.empty() && !ns.empty() && owner.is_virtual;
}

void Graph::drop_virtual(Node& node, const Identity& absent, Effects& out) {
  const SplitDependents dependents = split_dependents(node, absent);
  if (dependents.mismatching.empty()) return drop(node, absent, out);
  mark_absent(absent, dependents.matching, out);
  if (!is_at(node, absent)) return;
  std::vector<NodeState> mismatching;
  for (const Node* each : dependents.mismatching) mismatching.push_back(state_of(*each));
  if (const std::optional<Identity> other = other_identity(absent, mismatching)) {
    set_identity(node, *other);
    out.retries.push_back(key_of(node));
  }
}

void Graph::drop(Node& node, const Identity& as, Effects& out) {
  for (Claim& each : node.owners()) {
    const Node* const owner = this->node(each.uid);
    if (owner == nullptr) continue;
    if (owner->deletes_dependents && owner != &node) out.deletions.push_back(key_of(*owner));
    if (Claim* const edge = edge_to(each.uid, node.owners())) leave(*edge);
    note_lost(*owner, out);
  }
  mark_absent(as, dependents_of(node), out);
  while (node.dependents != nullptr) leave(*node.dependents);
  out.forgotten.push_back(node.uid.text());
  nodes_.erase(nodes_.find(node.uid));
}

void Graph::note_lost(const Node& owner, Effects& out) {
  if (!owner.is_virtual || owner.dependents != nullptr || mutant("virtual-nodes-end")) return;
  out.forgotten.push_back(owner.uid.text());
  nodes_.erase(nodes_.find(owner.uid));
}

void Graph::mark_absent(const Identity& absent, const std::vector<Node*>& dependents,
                        Effects& out) {
  if (dependents.empty()) return;
  absent_.add(absent);
  for (const Node* each : dependents) out.deletions.push_back(key_of(*each));
}

std::optional<Identity> other_identity(const Identity& absent,
                                       const std::vector<NodeState>& mismatching) {
  std::set<Identity> candidates;
  for (const NodeState& each : mismatching) {
    const std::string& ns = each.identity.ns;
    for (const Reference& reference : each.owners) {
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
