/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>

#include "plugins/garbagecollector/garbage_collector.hpp"

namespace davit::garbage {

/// It watches every resource that the server offers.
constexpr void declare(Note& note) {
  note.plugin("garbagecollector", "0.1.0")
      .needs("davit.informer/2")
      .needs("davit.discovery/1")
      .controller({.name = "garbage-collector-controller",
                   .factory = &GarbageCollector::open,
                   .aliases = {"garbagecollector"},
                   .workers = 20,
                   .client_name = "generic-garbage-collector",
                   .event_component = "garbage-collector-controller"})
      .events()
      .rule(kEveryResource, {"get", "list", "watch", "patch", "delete"});
}

}  // namespace davit::garbage
