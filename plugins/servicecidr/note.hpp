/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controller under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/options.hpp>

#include "plugins/servicecidr/service_cidr_controller.hpp"
#include "plugins/servicecidr/views.hpp"

namespace davit::servicecidr {

constexpr void declare(Note& note) {
  note.plugin("servicecidr", "0.1.0")
      .controller({.name = "service-cidr-controller",
                   .factory = &make_without_options<ServiceCidrController>,
                   .workers = 5,
                   .client_name = "service-cidrs-controller",
                   .event_component = "service-cidr-controller"})
      .rule<ServiceCidr>({"patch"})
      .rule<ServiceCidr>({"patch"}, {.subresource = "status"})
      .watch<ServiceCidr>(
          {"metadata.deletionTimestamp", "metadata.finalizers", "spec.cidrs", "status.conditions"})
      .watch<IpAddress>({"metadata.labels"});
}

}  // namespace davit::servicecidr
