/// The horizontal pod autoscaler controller: sets the number of replicas that metrics ask for.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/pod.hpp>

#include "plugins/podautoscaler/sync_run.hpp"

namespace davit::podautoscaler {

/// Owns the queue and the state that outlives a sync; SyncRun is one sync. Every key is synced
/// again after a period, regardless of the result, because metrics change without an event.
class AutoscalerController final : public Controller, private HandedState {
 public:
  AutoscalerController(Context& cluster, const Options& options);

  /// kInvalid: the configuration is wrong.
  [[nodiscard]] static InitResult open(Context& cluster);

  [[nodiscard]] HandedState* state() override { return this; }

 private:
  // Histories and selectors: otherwise a swap would delay each scale-down by a window.
  [[nodiscard]] std::uint32_t version() const override { return 1; }
  void write(JsonWriter& out) const override;
  [[nodiscard]] Status read(std::uint32_t version, Value state) override;

  void note(const Event<Autoscaler>& event);
  [[nodiscard]] Result<Again> sync(const Key& key);

  Context& cluster_;
  const Options options_;
  const AutoscalerMetrics metrics_;
  FreshCatalog catalog_;
  SharedValues values_;
  Memory memory_;
  SelectorTable selectors_;
  const Queue queue_;
  const Informer<Pod> pods_;
  const Informer<Autoscaler> autoscalers_;
};

}  // namespace davit::podautoscaler
