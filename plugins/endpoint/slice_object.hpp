/// The EndpointSlice object: whose it is, whether its labels are right, and what to send.
#pragma once

#include <davit/kube/endpoint_slice.hpp>
#include <davit/kube/service.hpp>
#include <davit/time.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/endpoint/slice_plan.hpp"

namespace davit::endpoint {

/// The value of EndpointSlice::kManagedByLabel on this controller's slices.
inline constexpr std::string_view kSliceManager = "endpointslice-controller.k8s.io";

[[nodiscard]] inline bool is_managed(const EndpointSlice& slice) {
  return slice.manager() == kSliceManager;
}

/// Whether one of its owners is this Service, by UID.
[[nodiscard]] bool is_owned_by(const EndpointSlice& slice, const Service& service);

/// Whether the slice has the Service's labels. The labels that the controller itself sets do not
/// count (setEndpointSliceLabels).
[[nodiscard]] bool has_labels_of(const EndpointSlice& slice, const Service& service);

/// Whether it is what a Service without endpoints has. A label without value counts as absent, and
/// the owner does not matter (placeholderSliceCompare).
[[nodiscard]] bool is_placeholder(const EndpointSlice& slice, const Service& service);

/// The body of a POST, or of a PUT if the slice is stored or replaces another one. A stored slice
/// keeps everything but labels, the trigger time and what the plan changes.
[[nodiscard]] std::string slice_body(const PlannedSlice& slice, const Service& service,
                                     IpFamily type, std::optional<WallTime> trigger);

}  // namespace davit::endpoint
