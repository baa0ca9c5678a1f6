/// The EndpointSlice controller: keeps the slices of each Service with a selector.
#pragma once

#include <cstdint>
#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/endpoint_slice.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/service.hpp>
#include <davit/write_window.hpp>
#include <vector>

#include "plugins/endpoint/options.hpp"
#include "plugins/endpoint/service_selectors.hpp"
#include "plugins/endpoint/slice_metrics.hpp"
#include "plugins/endpoint/slice_reconciler.hpp"
#include "plugins/endpoint/trigger_times.hpp"
#include "plugins/endpoint/zone_memory.hpp"
#include "plugins/shared/endpoint/slice_generations.hpp"

namespace davit::endpoint {

/// Reads, decides and acts. Keeps between syncs: trigger times, the generations and times of its
/// own writes, and the number of endpoints of each zone. All of this may be lost, as in a restart.
class EndpointSliceController final : public Controller, private HandedState {
 public:
  /// Skipped where the server has no discovery.k8s.io/v1; a mistake in the configuration is an
  /// error.
  [[nodiscard]] static InitResult open(Context& cluster);

  EndpointSliceController(Context& cluster, const SliceOptions& options);

  [[nodiscard]] HandedState* state() override { return this; }

 private:
  // The state lacks the sums of its gauges, which the syncs of the first second restore.
  [[nodiscard]] std::uint32_t version() const override { return 1; }
  void write(JsonWriter& out) const override;
  [[nodiscard]] Status read(std::uint32_t version, Value state) override;

  [[nodiscard]] Result<Again> sync(const Key& key);
  [[nodiscard]] Result<Again> sync_pod_change(const Key& key);
  [[nodiscard]] Result<Again> sync_nodes();
  [[nodiscard]] Status reconcile(const Key& key, const Service& service);
  [[nodiscard]] Handlers<Node> node_handlers();
  void queue_service_of(const EndpointSlice& slice);

  Context& cluster_;
  const SliceOptions options_;
  WriteWindow window_;
  TriggerTimes trigger_times_;
  ServiceSelectors selectors_;
  SliceGenerations generations_;
  ZoneMemory zones_;
  SliceMetrics metrics_;
  Queue services_queue_;
  Queue pods_queue_;
  Queue nodes_queue_;
  Informer<Service> services_;
  Informer<Pod> pods_;
  Informer<Node> nodes_;
  Informer<EndpointSlice> slices_;
  SliceReconciler reconciler_;
};

}  // namespace davit::endpoint
