/// Plans the writes of the slices of one Service and address type, so that few slices change
/// (staging/src/k8s.io/endpointslice.Reconciler).
#pragma once

#include <cstddef>
#include <davit/kube/endpoint_slice.hpp>
#include <davit/kube/service.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugins/endpoint/wanted_endpoints.hpp"
#include "plugins/shared/endpoint/slice_endpoint.hpp"

namespace davit::endpoint {

/// A slice as it is to be, or to stay.
struct PlannedSlice {
  /// The source of its endpoints and ports when it is written.
  enum class Content { kAsStored, kPlanned };

  std::optional<EndpointSlice> stored;  ///< Absent: a new one.
  std::string name;  ///< Only if a new one replaces another; empty: the server names it.
  SlicePorts ports;  ///< Only in a new one; in the order in which they are written.
  std::vector<SliceEndpoint> endpoints;
  Content content = Content::kPlanned;
};

struct SlicePlan {
  std::vector<PlannedSlice> create;
  std::vector<PlannedSlice> update;
  std::vector<PlannedSlice> unchanged;
  std::vector<EndpointSlice> remove;

  // For the metrics.
  std::size_t added = 0;
  std::size_t removed = 0;
  std::size_t endpoints_wanted = 0;
  std::size_t slices_least = 0;  ///< The number that would hold them all.
};

/// `stored`: the slices of this type that carry the controller's label. `endpoints_max`: how far a
/// slice is filled, at least 1.
[[nodiscard]] SlicePlan plan_slices(const Service& service, std::span<const EndpointSlice> stored,
                                    PortGroups wanted, std::size_t endpoints_max);

/// New slices take the names of those that would be removed: fewer requests, and watchers see one
/// change for two.
void reuse_names(SlicePlan& plan, const Service& service);

}  // namespace davit::endpoint
