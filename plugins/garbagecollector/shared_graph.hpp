/// The graph as handlers and workers share it.
#pragma once

#include <davit/event.hpp>
#include <davit/queue.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugins/garbagecollector/graph.hpp"

namespace davit::garbage {

/// The graph's requests go to the queues and become Events. Until open() they wait here:
/// conclusions from a graph that is not filled would be wrong, and on a standby, which never opens,
/// keys of objects that are gone would pile up in the queues. Thread-safe.
class SharedGraph {
 public:
  SharedGraph(Queue deletions, Queue orphans, EventRecorder events)
      : deletions_(deletions), orphans_(orphans), events_(events) {}

  void observe(const Observed& now, const Observed* past);
  void remove(const Identity& gone);
  void remove_absent(const Identity& absent);

  [[nodiscard]] std::optional<NodeState> find(const std::string& uid) const;
  [[nodiscard]] std::vector<Identity> dependents(const std::string& uid) const;
  [[nodiscard]] DependentsState dependents_state(const std::string& uid) const;
  /// As AbsentOwners.
  void add_absent(const Identity& owner);
  [[nodiscard]] bool is_absent(const Reference& reference, std::string_view ns);
  /// See graph_page().
  [[nodiscard]] std::string page(const std::vector<std::string>& uids) const;

  /// The graph is as complete as it gets; from now on work is handed out. Repeating it does
  /// nothing.
  void open();
  /// Whether the key of a sync has to wait. It is kept then.
  [[nodiscard]] bool defers_deletion(const Key& key) { return defers(key, held_deletions_); }
  [[nodiscard]] bool defers_orphan(const Key& key) { return defers(key, held_orphans_); }
  /// Hands out the keys of objects that have to be deleted.
  void delete_all(const std::vector<Key>& keys) const;

 private:
  [[nodiscard]] bool defers(const Key& key, std::set<Key>& held);
  void hand_out(const Effects& effects);

  const Queue deletions_;
  const Queue orphans_;
  const EventRecorder events_;
  mutable std::mutex mutex_;
  Graph graph_;           // Guarded, and so is what follows.
  bool is_open_ = false;  // Then nothing is held.
  std::set<Key> held_deletions_;
  std::set<Key> held_orphans_;
  std::map<std::string, BadReference> held_warnings_;  // Keyed by the dependent's UID.
};

}  // namespace davit::garbage
