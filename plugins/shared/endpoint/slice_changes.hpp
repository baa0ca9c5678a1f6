/// Maps changes of EndpointSlices to their Services (endpointsliceutil.EndpointSliceTracker's
/// users).
#pragma once

#include <davit/informer.hpp>
#include <davit/kube/endpoint_slice.hpp>
#include <functional>
#include <string_view>

#include "plugins/shared/endpoint/slice_generations.hpp"

namespace davit::endpoint {

/// Handlers that pass slices to `queue` whose Service needs a sync, because another client changed
/// what the controller keeps. `manager`: the controller's value of EndpointSlice::kManagedByLabel,
/// which lives as long as the program. `generations` must outlive the handlers.
[[nodiscard]] Handlers<EndpointSlice> slice_handlers(
    std::string_view manager, SliceGenerations& generations,
    std::function<void(const EndpointSlice&)> queue);

}  // namespace davit::endpoint
