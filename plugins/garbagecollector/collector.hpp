/// The work of the two queues: deletes what has no owner left, and frees what outlives its owner.
#pragma once

#include <davit/log.hpp>
#include <davit/queue.hpp>

#include "plugins/garbagecollector/attempt_plan.hpp"
#include "plugins/garbagecollector/live_objects.hpp"
#include "plugins/garbagecollector/shared_graph.hpp"

namespace davit::garbage {

/// Read, decide, act: whether to delete is decided from what the server has, never from the graph
/// alone. The rules are in attempt_plan. Thread-safe.
class Collector {
 public:
  /// `graph` outlives this.
  Collector(SharedGraph& graph, LiveObjects objects, Log log)
      : graph_(graph), objects_(std::move(objects)), log_(log) {}

  /// A key of the queue of deletions.
  [[nodiscard]] Result<Again> sync_deletion(const Key& key) const;
  /// A key of the queue of orphans: an owner whose dependents stay.
  [[nodiscard]] Result<Again> sync_orphans(const Key& key) const;

 private:
  /// The object of this very UID. kNotFound: it is not there.
  [[nodiscard]] Result<LiveObject> read(const NodeState& node, const Location& location) const;
  /// Success: the server has the object. kNotFound: it is not there.
  [[nodiscard]] Status resolve_doubt(const NodeState& node) const;
  /// kNotFound: it is not there. Other errors as of LiveObjects.
  [[nodiscard]] Status attempt(const NodeState& node) const;
  [[nodiscard]] Result<Standing> judge(const Reference& reference, const NodeState& node) const;
  [[nodiscard]] Status carry_out(const Attempt& attempt, const Location& location,
                                 const LiveObject& live) const;
  /// Foreground deletion: its blocking dependents first, then the object itself.
  [[nodiscard]] Status delete_dependents(const NodeState& node, const Location& location) const;

  SharedGraph& graph_;
  const LiveObjects objects_;
  const Log log_;
};

}  // namespace davit::garbage
