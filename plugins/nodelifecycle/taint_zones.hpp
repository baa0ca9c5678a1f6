/// The zones of the cluster with their taint queues: the rate-limited side of NoExecute taints.
#pragma once

#include <davit/context.hpp>
#include <davit/kube/node.hpp>
#include <map>
#include <string>

#include "plugins/nodelifecycle/node_record.hpp"
#include "plugins/nodelifecycle/node_writer.hpp"
#include "plugins/nodelifecycle/taint_queue.hpp"
#include "plugins/nodelifecycle/zones.hpp"

namespace davit::nodelifecycle {

/// Not thread-safe: one timer calls all of it. Calls may block for requests.
class TaintZones {
 public:
  /// For the controller's constructor: opens metrics. `cluster` must outlive this.
  TaintZones(Context& cluster, const ZoneOptions& options);

  /// Makes the zone with a full bucket if it is new.
  void ensure(const std::string& zone);

  /// What a node's Ready means for its NoExecute taints: nothing, a swap at once, or the queue.
  void decide(NodeRecord& record, const Node& node, Ready current);
  /// Takes the NoExecute taints off, and the node out of the queue.
  void mark_reachable(NodeRecord& record, const Node& node);

  /// Judges the zones after a pass has counted; adapts the rates.
  [[nodiscard]] DisruptionPlan::Kind judge(const ZoneCounts& counts);

  /// doNoExecuteTaintingPass: taints as many waiting nodes as the rates allow.
  void run(const Informer<Node>& nodes);

 private:
  void enqueue(NodeRecord& record, bool has_taint);
  void report(const std::string& zone, const ZoneCount& count) const;
  [[nodiscard]] TaintQueue& queue_of(const std::string& zone);
  [[nodiscard]] TaintQueue::Outcome taint(const std::optional<Node>& node,
                                          const std::string& zone) const;

  Context& cluster_;
  const ZoneOptions options_;
  const NodeWriter writer_;
  ZoneStates states_;
  std::map<std::string, TaintQueue> queues_;
  Metric size_;
  Metric health_;
  Metric unhealthy_;
  Metric evictions_;
};

}  // namespace davit::nodelifecycle
