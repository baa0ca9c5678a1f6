/// The graph as handlers and workers share it.
#pragma once

#include <cstdint>
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

  /// One informer, as the source of changes.
  class Feed {
   private:
    friend class SharedGraph;
    bool is_over_ = false;  // Guarded by the graph's mutex.
  };

  /// Changes of a feed that is over are ignored: a handler may run beyond close().
  void observe(const Feed& feed, const Observed& now, const Observed* past);
  void remove(const Feed& feed, const Identity& gone);
  void end(Feed& feed);

  /// See Graph.
  void doubt(const Identity& object);
  void remove_absent(const Identity& absent);
  [[nodiscard]] std::vector<Identity> shown(std::string_view group, std::string_view kind) const;

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
  enum class Work : std::uint8_t { kDeletion, kOrphaning };
  /// Whether the key of a sync has to wait. It is kept then.
  [[nodiscard]] bool defers(Work work, const Key& key);
  /// Hands out the keys of objects that have to be deleted.
  void delete_all(const std::vector<Key>& keys) const;

 private:
  /// Does `change`, which returns Effects, and hands them out or holds them.
  template <typename Change>
  void apply(const Change& change);
  /// Belongs to the step that made the effects. The mutex is held.
  void hold(const Effects& effects);
  void hand_out(const Effects& effects) const;

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
