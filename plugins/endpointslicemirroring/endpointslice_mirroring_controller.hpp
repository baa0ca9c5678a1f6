/// The EndpointSlice mirroring controller: keeps slices with the content of Endpoints that no
/// controller writes, those of Services without a selector.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/endpoint_slice.hpp>
#include <davit/kube/endpoints.hpp>
#include <davit/kube/service.hpp>
#include <vector>

#include "plugins/endpointslicemirroring/mirror_metrics.hpp"
#include "plugins/endpointslicemirroring/mirror_writer.hpp"
#include "plugins/endpointslicemirroring/options.hpp"
#include "plugins/shared/endpoint/slice_generations.hpp"

namespace davit::endpointslicemirroring {

/// Read, decide, act: the rules are in wanted_mirror and mirror_plan, which are pure. Keeps the
/// generations of its own writes between syncs.
class EndpointSliceMirroringController final : public Controller, private HandedState {
 public:
  /// Skipped where the server has no discovery.k8s.io/v1; a mistake in the configuration is an
  /// error.
  [[nodiscard]] static InitResult open(Context& cluster);

  EndpointSliceMirroringController(Context& cluster, const Options& options);

  [[nodiscard]] HandedState* state() override { return this; }

 private:
  // The state lacks the sums of its gauges, which later syncs restore.
  [[nodiscard]] std::uint32_t version() const override { return 1; }
  void write(JsonWriter& out) const override;
  [[nodiscard]] Status read(std::uint32_t version, Value state) override;

  [[nodiscard]] Result<Again> sync(const Key& key);
  [[nodiscard]] Status reconcile(const Key& key, const Lookup<Endpoints>& endpoints);
  [[nodiscard]] bool is_mirrored(const Key& key, const Lookup<Endpoints>& endpoints) const;
  [[nodiscard]] std::vector<EndpointSlice> slices_of(const Key& key) const;
  void report_skipped(const Endpoints& endpoints, const WantedMirror& wanted) const;
  [[nodiscard]] Handlers<Service> service_handlers();
  [[nodiscard]] Handlers<Endpoints> endpoints_handlers();
  void queue_of_slice(const EndpointSlice& slice) const;

  Context& cluster_;
  const Options options_;
  endpoint::SliceGenerations generations_;
  MirrorMetrics metrics_;
  Queue queue_;
  Informer<Endpoints> endpoints_;
  Informer<Service> services_;
  Informer<EndpointSlice> slices_;
  MirrorWriter writer_;
};

}  // namespace davit::endpointslicemirroring
