#include "plugins/nodelifecycle/node_lifecycle_controller.hpp"

#include <chrono>
#include <davit/mutant.hpp>
#include <memory>
#include <string>

#include "plugins/nodelifecycle/cache_age.hpp"
#include "plugins/nodelifecycle/pod_marker.hpp"

namespace davit::nodelifecycle {
namespace {

constexpr std::uint32_t kNodeWorkers = 8;
constexpr std::uint32_t kPodWorkers = 4;
constexpr std::chrono::milliseconds kTick{100};  // scheduler.NodeEvictionPeriod

/// Handles pods that come to a node whose Ready is known and not True. The pass handles those that
/// are there when a controller starts or when their node falls silent.
Handlers<Pod> pods_that_come_to_a_node(const Queue& queue, const UnreadyNodes& unready) {
  return {.added =
              [&](const Pod& pod) {
                if (unready.contains(std::string(pod.node_name()))) queue.add(pod);
              },
          .updated =
              [&](const Pod& old, const Pod& pod) {
                if (old.node_name() == pod.node_name()) return;
                if (unready.contains(std::string(pod.node_name()))) queue.add(pod);
              }};
}

}  // namespace

InitResult NodeLifecycleController::open(Context& cluster) {
  const Result<Options> options = read_options(cluster.config());
  if (!options) return options.error();
  return std::unique_ptr<Controller>(std::make_unique<NodeLifecycleController>(cluster, *options));
}

NodeLifecycleController::NodeLifecycleController(Context& cluster, const Options& options)
    : cluster_(cluster),
      writer_(cluster),
      nodes_queue_(
          cluster.open_queue({.name = "node_lifecycle_controller", .workers = kNodeWorkers},
                             [this](const Key& key) { return sync_node(key); })),
      pods_queue_(
          cluster.open_queue({.name = "node_lifecycle_controller_pods", .workers = kPodWorkers},
                             [this](const Key& key) { return sync_pod(key); })),
      caches_{
          cluster.open_informer<Node>(
              {.added = [this](const Node& node) { nodes_queue_.add(node); },
               .updated = [this](const Node&, const Node& node) { nodes_queue_.add(node); }},
              {.silence_max = kSilenceMax}),
          cluster.open_informer<Pod>(pods_that_come_to_a_node(pods_queue_, unready_)),
          cluster.open_informer<Lease>({}, {.field_selector = "metadata.namespace=kube-node-lease",
                                            .silence_max = kSilenceMax})},
      pass_(cluster, caches_, options, unready_) {
  cluster.add_index(caches_.pods, kNodeIndex, "spec.nodeName");
  if (pass_.taints_beside_pass()) {
    cluster.start_timer({.first = std::chrono::milliseconds(0), .period = kTick},
                        [this] { pass_.taint(); });
  }
  cluster.start_timer({.first = std::chrono::milliseconds(0), .period = kTick}, [this] { tick(); });
}

void NodeLifecycleController::tick() {
  if (!pass_.taints_beside_pass()) pass_.taint();
  if (cluster_.now() >= pass_.next()) pass_.run();
}

Result<Again> NodeLifecycleController::sync_node(const Key& key) {
  const Lookup<Node> node = caches_.nodes.get(key);
  if (!node) return Again::when_changed();
  Status tainted;
  TaintSwap swap = plan_no_schedule(*node);
  if (!swap.empty()) tainted = writer_.swap(*node, std::move(swap)).with_context("taints");
  const Status labelled = writer_.repeat_labels(*node).with_context("labels");
  Status first;
  for (const Status& each : {tainted, labelled}) {
    if (each.ok() || each.code() == Code::kNotFound) continue;
    if (each.code() == Code::kInvalid || mutant("node-writes-again")) {
      // Refused for what the node has; its next change may repair that.
      cluster_.log().error("a node was not written",
                           {{"node", key.name}, {"error", each.message()}});
    } else if (first.ok()) {
      first = each;
    }
  }
  if (!first.ok()) return first;
  return Again::when_changed();
}

Result<Again> NodeLifecycleController::sync_pod(const Key& key) {
  const Lookup<Pod> pod = caches_.pods.get(key);
  if (!pod) return Again::when_changed();
  const std::string node(pod->node_name());
  if (!unready_.contains(node)) return Again::when_changed();
  if (!caches_.nodes.get({}, node)) {
    return Status(Code::kNotFound, "the pod's node " + node + " is not in the cache");
  }
  PodMarker marker(cluster_);
  marker.add(*pod, 0);
  if (marker.run().empty()) return Again::when_changed();
  return Status(Code::kUnavailable, "the pod was not marked not ready");
}

}  // namespace davit::nodelifecycle
