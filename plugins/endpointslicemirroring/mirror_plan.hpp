/// Plans the writes of the slices that mirror one Endpoints object. Rule:
/// docs/spec/small-controllers.md, B5 and B6.
#pragma once

#include <cstddef>
#include <davit/kube/endpoint_slice.hpp>
#include <davit/kube/endpoints.hpp>
#include <span>
#include <vector>

#include "plugins/endpointslicemirroring/mirrored_slice.hpp"
#include "plugins/endpointslicemirroring/wanted_mirror.hpp"

namespace davit::endpointslicemirroring {

struct MirrorPlan {
  std::vector<MirroredSlice> create;
  std::vector<MirroredSlice> update;
  std::vector<EndpointSlice> remove;
  std::vector<EndpointSlice> kept;  ///< Right as they are.

  // For the metrics.
  std::size_t endpoints_added = 0;
  std::size_t endpoints_updated = 0;
  std::size_t endpoints_removed = 0;
  std::size_t endpoints_wanted = 0;
  std::size_t slices = 0;        ///< After the writes, before names are used again.
  std::size_t slices_least = 0;  ///< The number that would hold all endpoints.
};

/// One slice for each group that has endpoints. `stored`: the slices that the controller keeps for
/// the object. A slice to create takes the name of one of its family that would be deleted.
[[nodiscard]] MirrorPlan plan_mirror(const Endpoints& endpoints,
                                     std::span<const EndpointSlice> stored,
                                     const WantedMirror& wanted, std::size_t endpoints_max);

}  // namespace davit::endpointslicemirroring
