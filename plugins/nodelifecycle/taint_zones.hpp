/// The zones of the cluster with their queues: the rate-limited side of NoExecute taints or, if the
/// configuration requests it, of evictions without taints.
#pragma once

#include <davit/context.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plugins/nodelifecycle/node_record.hpp"
#include "plugins/nodelifecycle/node_writer.hpp"
#include "plugins/nodelifecycle/options.hpp"
#include "plugins/nodelifecycle/pod_eviction.hpp"
#include "plugins/nodelifecycle/taint_queue.hpp"
#include "plugins/nodelifecycle/zones.hpp"

namespace davit::nodelifecycle {

/// The index of pods by node that their informer must have.
inline constexpr const char* kNodeIndex = "node";

/// The pass over all nodes calls everything except run(), which has its own timer, so that no node
/// waits for its taint until the pods of another are marked. Without taints, run() works on the
/// pass's records and belongs to the same timer. Calls may block for requests, without holding a
/// lock.
class TaintZones {
 public:
  /// Ready before and after a pass judged a node.
  struct Change {
    Ready observed;
    Ready current;
  };

  /// For the controller's constructor: opens metrics. `cluster` must outlive this.
  TaintZones(Context& cluster, const Options& options, const Informer<Pod>& pods);

  /// Whether run() may be called beside the pass.
  [[nodiscard]] bool runs_beside_pass() const { return !pod_eviction_timeout_; }

  /// Makes the zone with a full bucket if it is new.
  void ensure(const std::string& zone);

  /// This pass turned the node's Ready to Unknown. The cache may still have `before`, and then this
  /// counts.
  void wrote_unknown(const NodeRecord& record, const Node& before);
  /// Decides about a node's NoExecute taints by its Ready: nothing, a swap at once, or the queue.
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
  /// A node that this pass found not ready.
  struct Decided {
    NodeRecord* record;
    bool has_taint;
  };

  void enqueue(NodeRecord& record, bool has_taint);
  void leave_queue(NodeRecord& record);
  void decide_eviction(NodeRecord& record, Ready observed);
  void report(const std::string& zone, const ZoneCount& count) const;
  /// Under the lock.
  [[nodiscard]] TaintQueue& queue_of(const std::string& zone);
  /// A node of the zone whose turn it is.
  [[nodiscard]] std::optional<std::string> take(const std::string& zone, Time now);
  void finish(const std::string& zone, const std::string& node, const TaintQueue::Outcome& outcome,
              Time taken);
  /// Ready of a cached node, or what this controller wrote since.
  [[nodiscard]] std::optional<Ready> ready_of(const Node& node);
  /// Swaps NoExecute taints, and takes them off again if all zones have gone down since. `judged`
  /// as in NodeWriter::swap().
  [[nodiscard]] Status write(const std::string& name, const Node& node, TaintSwap swap,
                             std::optional<Ready> judged);
  /// Whether the node may have a NoExecute taint that the cache does not show yet.
  [[nodiscard]] bool is_written(const std::string& name) const;
  void forget_written(const std::string& name);
  [[nodiscard]] TaintQueue::Outcome taint(const Lookup<Node>& node, const std::string& zone);
  [[nodiscard]] TaintQueue::Outcome evict(NodeRecord& record, const std::string& zone) const;

  Context& cluster_;
  const ZoneOptions options_;
  const std::optional<Duration> pod_eviction_timeout_;  // Nothing: nodes are tainted.
  const PodEviction eviction_;
  const NodeWriter writer_;
  ZoneStates states_;
  /// They enter their queues once the zones are judged: if all are down, no node is to be tainted.
  std::vector<Decided> decided_;
  mutable std::mutex mutex_;
  std::map<std::string, TaintQueue> queues_;  // Guarded by mutex_.
  /// Versions of nodes that were True until this controller wrote Unknown. Guarded by mutex_.
  std::unordered_map<std::string, std::string> before_unknown_;
  /// Nodes with a NoExecute taint that no cached version has shown. Guarded by mutex_.
  std::unordered_set<std::string> written_;
  bool are_down_ = false;  // All zones, as judged last. Guarded by mutex_.
  Metric size_;
  Metric health_;
  Metric unhealthy_;
  Metric evictions_;
};

}  // namespace davit::nodelifecycle
