/// The controller of ReplicaSets and of ReplicationControllers: keeps the wanted number of pods of
/// each set alive.
#pragma once

#include <cstddef>
#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/expectations.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/selector.hpp>
#include <davit/write_window.hpp>
#include <string_view>
#include <vector>

#include "plugins/shared/replicas/change_handlers.hpp"
#include "plugins/shared/replicas/pod_scaler.hpp"
#include "plugins/shared/replicas/set_kinds.hpp"
#include "plugins/shared/replicas/status_writer.hpp"

namespace davit::replicas {

/// Read, decide, act: the rules are in scale_plan, pod_ranking and status_plan, which are pure;
/// this reads for them and carries out what they say. Keeps nothing between syncs but expectations
/// and the times of its last writes.
template <typename Set>
class ReplicaController final : public Controller, private HandedState {
 public:
  /// Reads the configuration; an unknown member or value is an error.
  [[nodiscard]] static InitResult open(Context& cluster);

  struct Options {
    TerminatingSupport::Mode terminating = TerminatingSupport::Mode::kAuto;
    Duration write_window{};
  };

  ReplicaController(Context& cluster, const Options& options);

  [[nodiscard]] HandedState* state() override { return this; }
  /// The page "waits/KEY": expectations.
  [[nodiscard]] Result<DebugPage> debug(std::string_view path,
                                        std::string_view query) const override;

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
  [[nodiscard]] Candidates candidates(const Set& set, const Selector& selector) const;
  /// Writes the status that follows from the pods and from `outcome`, the one of scaling, whose
  /// error is `scaled`; counts alone once per window. If a pod will become available, requests
  /// another sync at that time.
  [[nodiscard]] Result<Again> report(const Set& set, const std::vector<Pod>& active,
                                     std::size_t terminating, ScaleOutcome outcome,
                                     const Status& scaled);

  Context& cluster_;
  TrackingExpectations expectations_;
  Queue queue_;
  Informer<Set> sets_;
  Informer<Pod> pods_;
  ChangeHandlers<Set> changes_;
  PodScaler<Set> scaler_;
  TerminatingSupport terminating_;
  StatusWriter<Set> status_;
  WriteWindow status_window_;
};

using ReplicaSetController = ReplicaController<ReplicaSet>;
using ReplicationControllerController = ReplicaController<ReplicationController>;

}  // namespace davit::replicas
