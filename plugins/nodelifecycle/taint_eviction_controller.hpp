/// The taint eviction controller: deletes pods from nodes whose NoExecute taints they do not
/// tolerate, or no longer.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/taint.hpp>
#include <mutex>
#include <span>

#include "plugins/nodelifecycle/eviction_timers.hpp"

namespace davit::nodelifecycle {

/// Read, decide, act: the rules are in tolerance, eviction_timers and pod_deletion. Two queues say
/// which nodes and pods to look at again; a third one makes the deletions when they are due.
class TaintEvictionController final : public Controller {
 public:
  /// Refuses any configuration: there is none.
  [[nodiscard]] static InitResult open(Context& cluster);

  explicit TaintEvictionController(Context& cluster);

 private:
  [[nodiscard]] Result<Again> sync_node(const Key& key);
  [[nodiscard]] Result<Again> sync_pod(const Key& key);
  [[nodiscard]] Result<Again> sync_eviction(const Key& key);
  void evaluate(const Pod& pod, std::span<const Taint> taints);
  void cancel(const Key& pod);
  void add(const Key& pod, Duration delay);
  [[nodiscard]] Result<Again> finish(const Key& pod);

  Context& cluster_;
  EvictionTimers timers_;
  // Held while a node or pod is looked at, never during a request: of two looks at a pod, the one
  // that saw the newer cache is the last to set its timer. Upstream sends all of a node's work to
  // one worker for that.
  std::mutex looking_;
  Queue nodes_queue_;
  Queue pods_queue_;
  Queue evictions_;
  Informer<Node> nodes_;
  Informer<Pod> pods_;
  Metric deletions_;
  Metric lateness_;
};

}  // namespace davit::nodelifecycle
