/// The node lifecycle controller: judges the health of nodes and taints those that are not well.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/lease.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>

#include "plugins/nodelifecycle/health_pass.hpp"
#include "plugins/nodelifecycle/node_writer.hpp"
#include "plugins/nodelifecycle/options.hpp"

namespace davit::nodelifecycle {

/// Two queues and two timers: nodes whose conditions or labels may need other taints and labels,
/// pods that came to a node after it fell silent, the pass over all nodes, and the pending
/// NoExecute taints.
class NodeLifecycleController final : public Controller {
 public:
  /// Reads the configuration; an unknown member or value is an error.
  [[nodiscard]] static InitResult open(Context& cluster);

  NodeLifecycleController(Context& cluster, const Options& options);

  [[nodiscard]] HandedState* state() override { return &pass_; }

 private:
  [[nodiscard]] Result<Again> sync_node(const Key& key);
  [[nodiscard]] Result<Again> sync_pod(const Key& key);
  void tick();

  Context& cluster_;
  const NodeWriter writer_;
  UnreadyNodes unready_;
  Queue nodes_queue_;
  Queue pods_queue_;
  HealthPass::Caches caches_;
  HealthPass pass_;
};

}  // namespace davit::nodelifecycle
