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
  /// Deletes all of them, for an object that is not mirrored any more, whatever fails.
  [[nodiscard]] Status clean_up(const Key& endpoints, std::span<const EndpointSlice> slices);

 private:
  [[nodiscard]] Status send(const Request& request, const Key& endpoints);

  Context& cluster_;
  endpoint::SliceGenerations& generations_;
  MirrorMetrics& metrics_;
};

}  // namespace davit::endpointslicemirroring
