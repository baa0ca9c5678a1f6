/// The taint eviction controller: deletes pods from nodes whose NoExecute taints they do not
/// tolerate, or no longer.
#pragma once

#include <cstdint>
#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/taint.hpp>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "plugins/nodelifecycle/eviction_timers.hpp"

namespace davit::nodelifecycle {

/// Read, decide, act: the rules are in tolerance and eviction_timers. Two queues say
/// which nodes and pods to look at again; a third one makes the deletions when they are due.
class TaintEvictionController final : public Controller, private HandedState {
 public:
  explicit TaintEvictionController(Context& cluster);

  [[nodiscard]] HandedState* state() override { return this; }

 private:
  // The timers: a swap must not give any pod its time again.
  [[nodiscard]] std::uint32_t version() const override { return 1; }
  void write(JsonWriter& out) const override { timers_.write(out); }
  [[nodiscard]] Status read(std::uint32_t version, Value state) override;

  /// The evidence for taints: an event of their node just now, or the cache, whose taints may be
  /// gone on the server, because a working watch may have stalled.
  enum class Basis : std::uint8_t { kEvent, kCache };
  /// The wait before taints may be acted on; nothing if nodes are known well enough. If that is
  /// what lacks, has the cache compared with the server.
  [[nodiscard]] std::optional<Duration> wait_for_nodes(Basis basis);
  /// Whether the caches show the pod on a node with NoExecute taints.
  [[nodiscard]] bool meets_taints(const Key& pod) const;
  [[nodiscard]] Result<Again> sync_node(const Key& key);
  // Keys of pods have the UID behind the name.
  [[nodiscard]] Result<Again> sync_pod(const Key& key);
  [[nodiscard]] Result<Again> sync_eviction(const Key& key);
  /// The changes that a look at a node or a pod made to the timers, which the cluster must still be
  /// notified of.
  struct Changes {
    struct Start {
      Key pod;
      Duration delay;
    };
    std::vector<Key> cancelled{};
    std::vector<Start> started{};
  };
  [[nodiscard]] Changes check_node(const Key& key);
  [[nodiscard]] Changes check_pod(const Key& key);
  void evaluate(const Pod& pod, std::span<const Taint> taints, Changes& out);
  void cancel(const Key& pod, Changes& out);
  void start(const Key& pod, Duration delay, Changes& out);
  /// Has sync_eviction() look at the pod early enough to delete it after `delay`.
  void look_after(const Key& pod, Duration delay);
  void apply(const Changes& changes);
  [[nodiscard]] Result<Again> finish(const Key& pod);

  Context& cluster_;
  EvictionTimers timers_;
  // Held by check_node() and check_pod(), which read caches, set timers and return the changes
  // for apply(). If two looks see one pod, the one that saw the newer cache sets the timer last.
  // Upstream sends all of a node's work to one worker for that.
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
