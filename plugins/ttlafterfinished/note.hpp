/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/options.hpp>

#include "plugins/ttlafterfinished/expiry_plan.hpp"
#include "plugins/ttlafterfinished/ttl_after_finished_controller.hpp"

namespace davit::ttlafterfinished {

constexpr void declare(Note& note) {
  note.plugin("ttlafterfinished", "0.1.0")
      .controller({.name = "ttl-after-finished-controller",
                   .factory = &make_without_options<TtlAfterFinishedController>,
                   .aliases = {"ttl-after-finished"},
                   .workers = 5})
      .rule<Job>({"get", "delete"})
      .watch<Job>({"metadata.deletionTimestamp", "spec.ttlSecondsAfterFinished",
                   "status.conditions[].type", "status.conditions[].status",
                   "status.conditions[].lastTransitionTime"});
}

}  // namespace davit::ttlafterfinished
