/// The zones of the cluster with their queues: the rate-limited side of NoExecute taints, or, where
/// the configuration asks for that instead, of evictions without taints.
#pragma once

#include <davit/context.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <map>
#include <optional>
#include <string>

#include "plugins/nodelifecycle/node_record.hpp"
#include "plugins/nodelifecycle/node_writer.hpp"
#include "plugins/nodelifecycle/options.hpp"
#include "plugins/nodelifecycle/pod_eviction.hpp"
#include "plugins/nodelifecycle/taint_queue.hpp"
#include "plugins/nodelifecycle/zones.hpp"

namespace davit::nodelifecycle {

/// The index of pods by node that their informer must have.
inline constexpr const char* kNodeIndex = "node";

/// Not thread-safe: one timer calls all of it. Calls may block for requests.
class TaintZones {
 public:
  /// Ready before a pass looked at a node, and after.
  struct Change {
    Ready observed;
    Ready current;
  };

  /// For the controller's constructor: opens metrics. `cluster` must outlive this.
  TaintZones(Context& cluster, const Options& options, const Informer<Pod>& pods);

  /// Makes the zone with a full bucket if it is new.
  void ensure(const std::string& zone);

  /// What a node's Ready means for its NoExecute taints: nothing, a swap at once, or the queue.
  void decide(NodeRecord& record, const Node& node, const Change& ready);
  /// Takes the NoExecute taints off, and the node out of the queue. Without taints only that.
  void mark_reachable(NodeRecord& record, const Node& node);
  /// The node is gone. Its pods are not: without taints it has its turn all the same.
  void forget(NodeRecord& record);

  /// Judges the zones after a pass has counted; adapts the rates.
  [[nodiscard]] DisruptionPlan::Kind judge(const ZoneCounts& counts);

  /// For the next build: states and queues of the zones, as a list.
  void write(JsonWriter& out) const;
  /// Nothing is taken over unless the status of `state` is ok after it.
  void read(const StateFields& state, std::string_view name);

  /// doNoExecuteTaintingPass, or doEvictionPass: as many waiting nodes as the rates allow.
  void run(const Informer<Node>& nodes, NodeRecords& records);

 private:
  void enqueue(NodeRecord& record, bool has_taint);
  void leave_queue(NodeRecord& record);
  void decide_eviction(NodeRecord& record, Ready observed);
  void report(const std::string& zone, const ZoneCount& count) const;
  [[nodiscard]] TaintQueue& queue_of(const std::string& zone);
  [[nodiscard]] TaintQueue::Outcome taint(const std::optional<Node>& node,
                                          const std::string& zone) const;
  [[nodiscard]] TaintQueue::Outcome evict(NodeRecord& record, const std::string& zone) const;

  Context& cluster_;
  const ZoneOptions options_;
  const std::optional<Duration> pod_eviction_timeout_;  // Nothing: nodes are tainted.
  const PodEviction eviction_;
  const NodeWriter writer_;
  ZoneStates states_;
  std::map<std::string, TaintQueue> queues_;
  Metric size_;
  Metric health_;
  Metric unhealthy_;
  Metric evictions_;
};

}  // namespace davit::nodelifecycle
