/// Sends what a MirrorPlan says.
#pragma once

#include <davit/context.hpp>
#include <davit/kube/endpoint_slice.hpp>
#include <davit/kube/endpoints.hpp>
#include <span>

#include "plugins/endpointslicemirroring/mirror_metrics.hpp"
#include "plugins/endpointslicemirroring/mirror_plan.hpp"
#include "plugins/shared/endpoint/slice_generations.hpp"

namespace davit::endpointslicemirroring {

/// Remembers the generations of what it writes. Thread-safe.
class MirrorWriter {
 public:
  /// The references must outlive the writer.
  MirrorWriter(Context& cluster, endpoint::SliceGenerations& generations, MirrorMetrics& metrics)
      : cluster_(cluster), generations_(generations), metrics_(metrics) {}

  /// Stops at the first failure. The end of the namespace is not one.
  [[nodiscard]] Status write(const Endpoints& endpoints, const MirrorPlan& plan);
  /// Deletes all slices of an object that is no longer mirrored, and continues after failures.
  [[nodiscard]] Status clean_up(const Key& endpoints, std::span<const EndpointSlice> slices);

 private:
  [[nodiscard]] Status send(const Request& request, const Key& endpoints);

  Context& cluster_;
  endpoint::SliceGenerations& generations_;
  MirrorMetrics& metrics_;
};

}  // namespace davit::endpointslicemirroring
