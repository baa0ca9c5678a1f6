/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/endpoint_slice.hpp>
#include <davit/kube/endpoints.hpp>
#include <davit/kube/service.hpp>

#include "plugins/endpointslicemirroring/endpointslice_mirroring_controller.hpp"

namespace davit::endpointslicemirroring {

/// Slices are read whole because they are written whole.
constexpr void declare(Note& note) {
  note.plugin("endpointslicemirroring", "0.1.0")
      .controller({.name = "endpointslice-mirroring-controller",
                   .factory = &EndpointSliceMirroringController::open,
                   .aliases = {"endpointslicemirroring"},
                   .workers = 5,
                   .client_name = "endpointslicemirroring-controller",
                   .event_component = "endpoint-slice-mirroring-controller"})
      .rule<Service>({"update"}, {.subresource = "finalizers"})
      .rule<Endpoints>({"update"}, {.subresource = "finalizers"})
      .rule<EndpointSlice>({"create", "update", "delete"})
      .rule<EndpointSlice>({"create"}, {.subresource = "restricted"})
      .events()
      .watch<Service>({"spec.selector"})
      .watch<Endpoints>(
          {"metadata.labels", "metadata.annotations", "metadata.deletionTimestamp", "subsets"})
      .watch<EndpointSlice>();
}

}  // namespace davit::endpointslicemirroring
