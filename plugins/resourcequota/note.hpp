/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>

#include "plugins/resourcequota/quota.hpp"
#include "plugins/resourcequota/quota_controller.hpp"

namespace davit::resourcequota {

/// It counts every resource that the server offers. Quotas are read whole, because the host refuses
/// a PUT of an object that is read in part.
constexpr void declare(Note& note) {
  note.plugin("resourcequota", "0.1.0")
      .needs("davit.informer/2")
      .needs("davit.discovery/1")
      .controller({.name = "resourcequota-controller",
                   .factory = &QuotaController::open,
                   .aliases = {"resourcequota"},
                   .workers = 5})
      .rule(kEveryResource, {"list", "watch"})
      .rule<ResourceQuota>({"update"}, {.subresource = "status"})
      .watch<ResourceQuota>();
}

}  // namespace davit::resourcequota
