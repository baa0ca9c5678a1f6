/// The graph of all deletable objects and of who owns whom. Pure;
/// kubernetes:pkg/controller/garbagecollector/graph_builder.go.
#pragma once

#include <cstddef>
#include <davit/key.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/garbagecollector/absent_owners.hpp"
#include "plugins/garbagecollector/identity.hpp"
#include "plugins/garbagecollector/node.hpp"

namespace davit::garbage {

/// The keys of the work queues. A virtual object has a separate key until the object first appears.
/// So has an object whose deletion may have been missed, because it may not exist.
[[nodiscard]] Key node_key(std::string_view uid);
[[nodiscard]] Key virtual_key(std::string_view uid);
[[nodiscard]] Key doubt_key(std::string_view uid);
[[nodiscard]] bool is_virtual(const Key& key);
[[nodiscard]] bool is_doubt(const Key& key);
/// The UID that a key is about.
[[nodiscard]] inline const std::string& uid_of(const Key& key) { return key.name; }

/// An object as an informer shows it.
struct Observed {
  Identity identity;
  std::vector<Reference> owners;
  bool is_being_deleted = false;
  bool waits_for_dependents = false;  ///< It has the finalizer of foreground deletion.
  bool orphans_dependents = false;    ///< It has the finalizer of orphaning.
};

/// A reference to a namespaced owner that is in another namespace.
struct BadReference {
  Identity dependent;
  Reference reference;
};

/// The work that a change of the graph causes. Its order does not matter.
struct Effects {
  std::vector<Key> deletions;  ///< Whether they have to be deleted.
  std::vector<Key> orphans;    ///< Whose dependents lose the reference to them.
  std::vector<Key> retries;    ///< As `deletions`, after their first back-off.
  std::vector<BadReference> warnings;
  std::vector<std::string> forgotten;  ///< UIDs of nodes that are gone, and their keys with them.
};

/// A node apart from the graph.
struct NodeState {
  Identity identity;
  std::vector<Reference> owners;
  bool is_virtual = false;
  bool is_being_deleted = false;
  bool deletes_dependents = false;
};

/// The effect of an object's dependents on its deletion.
struct DependentsState {
  bool are_there = false;
  bool some_delete_theirs = false;  ///< One of them waits for its own dependents.
  bool some_block = false;          ///< A reference of one of them blocks the owner's deletion.
  std::vector<Key> to_delete{};     ///< Those that block and do not wait for their own.
};

/// A node per UID; edges lead from a node to those whose references name its UID. An object takes
/// about 211 bytes with a name of 20 characters and one owner (graph_size_test). Not thread-safe.
class Graph {
 public:
  /// An informer shows a new object, or one that was `past` when it last did.
  [[nodiscard]] Effects observe(const Observed& now, const Observed* past);
  /// An informer shows that an object is gone.
  [[nodiscard]] Effects remove(const Identity& gone);
  /// No informer shows the object of this UID, which its last one showed. Were it there, it would
  /// be under this identity.
  [[nodiscard]] Effects doubt(const Identity& object);
  /// The server has no such object. The node may have become another one since that was asked.
  [[nodiscard]] Effects remove_absent(const Identity& absent);

  [[nodiscard]] std::optional<NodeState> find(const std::string& uid) const;
  [[nodiscard]] std::vector<Identity> dependents(const std::string& uid) const;
  [[nodiscard]] DependentsState dependents_state(const std::string& uid) const;
  /// The objects of a kind that informers have shown, in any version of its group.
  [[nodiscard]] std::vector<Identity> shown(std::string_view group, std::string_view kind) const;
  [[nodiscard]] AbsentOwners& absent() { return absent_; }

  [[nodiscard]] const Nodes& nodes() const { return nodes_; }

 private:
  [[nodiscard]] Node* node(const Uid& uid) const;
  Node& add(const Identity& identity);
  void set_identity(Node& node, const Identity& identity);
  /// Replaces its claims by those without edges. The former ones are returned.
  std::unique_ptr<Claim[]> set_claims(Node& node, const std::vector<Reference>& owners);
  /// The first time that a virtual node is shown.
  void make_real(Node& node, const Identity& identity, Effects& out);
  void update_owners(Node& node, const std::vector<Reference>& owners, Effects& out);
  /// Makes the edges of `added`, which are claims of `node`.
  void link(Node& node, const std::vector<Claim*>& added, Effects& out);
  /// Whether the claim does not fit the owner that the graph has.
  [[nodiscard]] bool is_suspicious(const Node& node, const Claim& claim, const Node& owner,
                                   Effects& out) const;
  void drop_virtual(Node& node, const Identity& absent, Effects& out);
  void drop(Node& node, const Identity& as, Effects& out);
  /// `owner` has lost a dependent. A virtual one is known through its dependents only, and goes
  /// with the last.
  void note_lost(const Node& owner, Effects& out);
  void mark_absent(const Identity& absent, const std::vector<Node*>& dependents, Effects& out);

  TextPool texts_;  // Types and namespaces.
  Nodes nodes_;
  AbsentOwners absent_;
};

/// Another identity of an absent object, according to the dependents that do not name it so: the
/// next in order after `absent`, and the first after the last.
[[nodiscard]] std::optional<Identity> other_identity(const Identity& absent,
                                                     const std::vector<NodeState>& mismatching);

}  // namespace davit::garbage
