/// Decides which finished Jobs are more than a CronJob keeps.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "plugins/cronjob/cron_job.hpp"

namespace davit::cronjob {

/// Those of `jobs` that have ended with `condition` and are more than `limit`, oldest first: by
/// start time, those without one last, and by name. Rule: docs/spec/cronjob.md, 6.
[[nodiscard]] std::vector<Job> surplus_jobs(std::span<const Job> jobs, std::string_view condition,
                                            std::size_t limit);

}  // namespace davit::cronjob
