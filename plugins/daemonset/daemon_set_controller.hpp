/// The controller of DaemonSets: keeps one pod on each node that a DaemonSet is for.
#pragma once

#include <cstdint>
#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/expectations.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <davit/write_window.hpp>
#include <vector>

#include "plugins/daemonset/change_handlers.hpp"
#include "plugins/daemonset/claimed_pods.hpp"
#include "plugins/daemonset/daemon_set.hpp"
#include "plugins/daemonset/failed_pod_backoff.hpp"
#include "plugins/daemonset/manage_plan.hpp"
#include "plugins/daemonset/pod_round.hpp"
#include "plugins/daemonset/revision_history.hpp"
#include "plugins/daemonset/status_writer.hpp"

namespace davit::daemonset {

/// Read, decide, act: the rules are in node_eligibility, manage_plan, rolling_plan and status_plan,
/// which are pure; this reads for them and carries out what they say. Keeps nothing between syncs
/// but expectations, the pauses after failed pods and the times of its last writes.
///
/// Two queues: one of DaemonSets, and one of nodes whose change may concern DaemonSets.
class DaemonSetController final : public Controller, private HandedState {
 public:
  /// Reads the configuration; an unknown member or value is an error.
  [[nodiscard]] static InitResult open(Context& cluster);

  DaemonSetController(Context& cluster, Duration write_window);

  [[nodiscard]] HandedState* state() override { return this; }
  /// The page "waits/KEY": expectations.
  [[nodiscard]] Result<DebugPage> debug(std::string_view path,
                                        std::string_view query) const override;

 private:
  // A swap must neither create or delete twice, nor end the pauses after failed pods.
  [[nodiscard]] std::uint32_t version() const override { return 1; }
  void write(JsonWriter& out) const override;
  [[nodiscard]] Status read(std::uint32_t version, Value state) override;

  /// The facts and objects of one sync.
  struct Round {
    const DaemonSet& set;
    const Revisions& revisions;
    const Nodes nodes;
    const std::vector<Pod>& pods;
    const PodMeasure measure;
    const NodePods by_node;
  };

  [[nodiscard]] Result<Again> sync(const Key& key);
  /// Queues the DaemonSets to which a change of this node matters.
  [[nodiscard]] Result<Again> sync_node(const Key& node) const;

  [[nodiscard]] Result<Again> act(const DaemonSet& set, const Selector& selector);
  [[nodiscard]] Nodes judge_nodes(const DaemonSet& set) const;
  /// Creates and deletes pods, updates them, and deletes old revisions; ends with the first error.
  [[nodiscard]] Status update(const Round& round);
  [[nodiscard]] ManagePlan plan(const Round& round);
  void report_ended(const DaemonSet& set, const ManagePlan& plan) const;
  [[nodiscard]] Status roll(const Round& round) const;
  /// Whether counters alone may wait for the end of a window.
  enum class Pace : std::uint8_t { kWindowed, kAtOnce };
  /// Writes the status. If a pod will become available, requests another sync at that time.
  [[nodiscard]] Result<Again> report(const Round& round, Observed generation, Pace pace);

  Context& cluster_;
  TrackingExpectations expectations_;
  FailedPodBackoff backoff_;
  Queue queue_;
  Queue node_queue_;
  Informer<DaemonSet> sets_;
  Informer<ControllerRevision> revisions_;
  Informer<Pod> pods_;
  Informer<Node> nodes_;
  ChangeHandlers changes_;
  RevisionHistory history_;
  PodRound pod_round_;
  StatusWriter status_;
  WriteWindow status_window_;
};

}  // namespace davit::daemonset
