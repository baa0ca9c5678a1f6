/// The nodes of the graph. There is one for each object of the cluster, so every byte counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "plugins/garbagecollector/identity.hpp"
#include "plugins/garbagecollector/text.hpp"
#include "plugins/garbagecollector/uid.hpp"

namespace davit::garbage {

struct Node;

/// An owner reference of a node. While the owner's node lists the dependent, one of the references
/// to it is an element of that list, which links its elements. Does not move.
struct Claim {
  Uid uid;
  Text type;  ///< See type_text().
  Text name;
  Node* dependent = nullptr;  ///< The node that has the reference.
  Claim* next = nullptr;
  Claim** place = nullptr;  ///< The pointer to this in the list. Null: not in it.
  std::optional<bool> controller = std::nullopt;
  std::optional<bool> blocks = std::nullopt;

  [[nodiscard]] bool is_blocking() const { return blocks.value_or(false); }
  [[nodiscard]] Reference reference() const;
};

/// One object. A virtual one is known from references only; no informer has shown it. Does not
/// move.
struct Node {
  explicit Node(const Uid& uid) : uid(uid) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const Uid uid;
  Text type;  ///< See type_text().
  Text ns;    ///< Empty: cluster-scoped.
  Text name;
  std::unique_ptr<Claim[]> claims;  ///< Its owner references.
  Claim* dependents = nullptr;      ///< The list of those that it owns; each is there once.
  std::uint32_t claim_count = 0;
  bool is_virtual = false;
  bool is_being_deleted = false;
  bool deletes_dependents = false;  ///< Foreground deletion has begun.

  [[nodiscard]] std::span<Claim> owners() const { return {claims.get(), claim_count}; }
  [[nodiscard]] Identity identity() const;
  [[nodiscard]] std::vector<Reference> references() const;
};

/// An API version and a kind in one text.
[[nodiscard]] std::string type_text(std::string_view api_version, std::string_view kind);
/// The two parts. Views of `type`.
struct TypeParts {
  std::string_view api_version;
  std::string_view kind;
};
[[nodiscard]] TypeParts type_parts(const Text& type);

/// Adds a claim to the list of its owner's dependents.
void join(Claim& claim, Node& owner);
/// Takes it out, if it is there.
void leave(Claim& claim);
/// Replaces `from` by `to`.
void replace(Claim& from, Claim& to);
/// The claim by which a node is in the list of the owner with this UID; null if it is not there.
[[nodiscard]] Claim* edge_to(const Uid& owner, std::span<Claim> claims);

/// Nodes by UID.
struct NodeHash {
  using is_transparent = void;
  // Both do not throw, so that the set does not keep the results: 8 bytes for each node.
  std::size_t operator()(const Node& node) const noexcept { return node.uid.hash(); }
  std::size_t operator()(const Uid& uid) const noexcept { return uid.hash(); }
};
struct NodeEqual {
  using is_transparent = void;
  bool operator()(const Node& a, const Node& b) const { return a.uid == b.uid; }
  bool operator()(const Node& a, const Uid& b) const { return a.uid == b; }
  bool operator()(const Uid& a, const Node& b) const { return a == b.uid; }
};
using Nodes = std::unordered_set<Node, NodeHash, NodeEqual>;

}  // namespace davit::garbage
