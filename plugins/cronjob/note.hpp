/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>

#include "plugins/cronjob/cron_job.hpp"
#include "plugins/cronjob/cronjob_controller.hpp"

namespace davit::cronjob {

/// CronJobs are read whole, because their templates are copied.
constexpr void declare(Note& note) {
  note.plugin("cronjob", "0.1.0")
      .controller({.name = "cronjob-controller",
                   .factory = &CronJobController::open,
                   .aliases = {"cronjob"},
                   .workers = 5})
      .rule<CronJob>({"get"})
      .rule<CronJob>({"patch"}, {.subresource = "status"})
      .rule<CronJob>({"update"}, {.subresource = "finalizers"})
      .rule<Job>({"get", "create", "delete"})
      .events()
      .watch<CronJob>()
      .watch<Job>({"metadata.ownerReferences", "status.startTime", "status.completionTime",
                   "status.conditions[].type", "status.conditions[].status"});
}

}  // namespace davit::cronjob
