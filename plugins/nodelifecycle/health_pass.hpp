/// The periodic look at all nodes: upstream's monitorNodeHealth.
#pragma once

#include <cstdint>
#include <davit/context.hpp>
#include <davit/kube/lease.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <optional>
#include <vector>

#include "plugins/nodelifecycle/node_record.hpp"
#include "plugins/nodelifecycle/options.hpp"
#include "plugins/nodelifecycle/pod_marker.hpp"
#include "plugins/nodelifecycle/taint_zones.hpp"

namespace davit::nodelifecycle {

/// One timer calls it; taint() may have another if taints_beside_pass() is true. Requests of one
/// kind go out together: first the status of all nodes that fell silent, then their pods.
///
/// Its knowledge of nodes is the controller's state: the next build continues with it, and no
/// node's grace period starts again.
class HealthPass final : public HandedState {
 public:
  /// The informers that it reads, synced before the first run().
  struct Caches {
    Informer<Node> nodes;
    Informer<Pod> pods;
    Informer<Lease> leases;
  };

  /// For the controller's constructor: opens metrics. All references must outlive this.
  HealthPass(Context& cluster, const Caches& caches, const Options& options, UnreadyNodes& unready);

  /// Looks at all nodes. Blocks for requests.
  void run();
  /// Taints those that wait for it, or evicts their pods, as the rates allow. Blocks for requests.
  /// Not from a cache that has not been confirmed for long.
  void taint();
  /// Whether taint() may run while run() does, so that no taint waits for pods that are marked.
  [[nodiscard]] bool taints_beside_pass() const { return zones_.runs_beside_pass(); }
  /// When run() is due again: after the period, or before when a node's grace ends.
  [[nodiscard]] Time next() const { return next_; }

  /// See HandedState: the form that write() writes.
  [[nodiscard]] std::uint32_t version() const override { return 1; }
  void write(JsonWriter& out) const override;
  [[nodiscard]] Status read(std::uint32_t version, Value state) override;

 private:
  /// A node whose status is to be written.
  struct Silent {
    NodeRecord* record;
    Node node;
  };

  void look(NodeRecord& record, const Node& node);
  void read_leases();
  void read(NodeRecord& record, const Node& node) const;
  void admit(NodeRecord& record, const Node& node);
  [[nodiscard]] Heartbeat heartbeat_of(NodeRecord& record) const;
  void read_freshness();
  /// When a node that stays silent will have been so for too long. An outage of the host does not
  /// count, because the node may have been unable to send, or the host to receive.
  [[nodiscard]] Time end_of_grace(const NodeHealth& health) const;
  /// Whether the caches are known to show what there was at `time`; if not, has them compared with
  /// the server.
  [[nodiscard]] bool is_confirmed(Time time);
  [[nodiscard]] NodeRecord read_record(const StateFields& state) const;
  void publish(NodeRecord& record) const;
  void write_silent();
  void try_again(const Silent& silent, Status why);
  void became_unknown(NodeRecord& record, const Node& node);
  void apply(NodeRecord& record, const Node& node, Ready observed, std::optional<Ready> current);
  void mark_pods(NodeRecord& record);
  void forget_gone(std::size_t listed);
  [[nodiscard]] bool is_over(NodeRecord& record);
  void handle_disruption(const List<Node>& nodes);
  void schedule();

  Context& cluster_;
  const Caches caches_;
  const Options options_;
  UnreadyNodes& unready_;
  NodeRecords records_;
  NodeRecords::Order node_order_;
  NodeRecords::Order lease_order_;
  TaintZones zones_;
  Metric node_seconds_;
  Metric pass_seconds_;
  std::size_t known_ = 0;  // Nodes, at the last pass.
  std::uint64_t pass_ = 0;
  Time next_{};
  // ---- Of the pass that runs ----
  Time now_{};
  Time followed_since_{};  // The end of the host's last outage.
  Time nodes_verified_{};  // As of when what the pass reads is known to show everything.
  Time leases_verified_{};
  WallTime wall_now_{};
  Time observed_{};       // When the last look at a node ended.
  Time deadline_{};       // The earliest end of a grace period to come.
  std::size_t seen_ = 0;  // Records that have a node or a Lease.
  ZoneCounts counts_;
  std::vector<Silent> silent_;
  std::vector<NodeRecord*> marked_;
  PodMarker marker_;
};

}  // namespace davit::nodelifecycle
