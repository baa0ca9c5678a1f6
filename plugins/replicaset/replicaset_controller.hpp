/// The ReplicaSet controller: keeps the wanted number of pods of each ReplicaSet alive.
#pragma once

#include <cstddef>
#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/expectations.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/replica_set.hpp>
#include <davit/kube/selector.hpp>
#include <davit/write_window.hpp>
#include <vector>

#include "plugins/replicaset/change_handlers.hpp"
#include "plugins/replicaset/pod_scaler.hpp"
#include "plugins/replicaset/status_writer.hpp"

namespace davit::replicaset {

/// Read, decide, act: the rules are in scale_plan, pod_ranking and status_plan, which are pure;
/// this reads for them and carries out what they say. Keeps nothing between syncs but expectations
/// and the times of its last writes.
class ReplicaSetController final : public Controller, private HandedState {
 public:
  /// Reads the configuration; an unknown member or value is an error.
  [[nodiscard]] static InitResult open(Context& cluster);

  struct Options {
    TerminatingSupport::Mode terminating = TerminatingSupport::Mode::kAuto;
    Duration write_window{};
  };

  ReplicaSetController(Context& cluster, const Options& options);

  [[nodiscard]] HandedState* state() override { return this; }

 private:
  // The expectations: a swap must not create or delete twice.
  [[nodiscard]] std::uint32_t version() const override { return 1; }
  void write(JsonWriter& out) const override;
  [[nodiscard]] Status read(std::uint32_t version, Value state) override;

  /// The cached pods that a sync is about.
  struct Candidates {
    std::vector<Pod> active;      ///< Owned or without a controller.
    std::size_t terminating = 0;  ///< Owned, matching, being deleted.
  };

  [[nodiscard]] Result<Again> sync(const Key& key);
  [[nodiscard]] Candidates candidates(const ReplicaSet& set, const Selector& selector) const;
  /// Writes the status that follows from the pods and from the outcome of scaling; counts alone
  /// once per window. If a pod will become available, requests another sync at that time.
  [[nodiscard]] Result<Again> report(const ReplicaSet& set, const std::vector<Pod>& active,
                                     std::size_t terminating, const Status& scaled);
  [[nodiscard]] Again again(std::span<const PodState> pods, std::chrono::seconds min_ready,
                            WallTime counted_at) const;

  Context& cluster_;
  TrackingExpectations expectations_;
  Queue queue_;
  Informer<ReplicaSet> sets_;
  Informer<Pod> pods_;
  ChangeHandlers changes_;
  PodScaler scaler_;
  TerminatingSupport terminating_;
  StatusWriter status_;
  WriteWindow status_window_;
};

}  // namespace davit::replicaset
