/// The CronJob controller: starts Jobs at the times of schedules.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <string_view>

#include "plugins/cronjob/cron_job.hpp"

namespace davit::cronjob {

/// Maps changes to keys and runs CronJobSync on them. A CronJob that waits is a key of the queue,
/// due at its next start, so nothing is kept between syncs but how the wall clock stood.
class CronJobController final : public Controller {
 public:
  /// In the time zone of the process. Skipped where the server has no CronJobs of batch/v1, which
  /// came with v1.21.
  [[nodiscard]] static InitResult open(Context& cluster);

  /// `local`: the zone of schedules that name none.
  CronJobController(Context& cluster, const TimeZone& local);

 private:
  [[nodiscard]] Result<Again> sync(const Key& key) const;
  void cron_job_updated(const CronJob& old, const CronJob& current) const;
  void job_updated(const Job& old, const Job& current) const;
  void queue_controller_of(const Job& job) const;
  /// Queues every CronJob if the wall clock was set since the last time: the queue counts the time
  /// that passes.
  void follow_wall_clock();

  Context& cluster_;
  const TimeZone local_;
  Duration wall_offset_;  // From the monotonic clock to the wall clock; for the timer only.
  Queue queue_;
  Informer<CronJob> cron_jobs_;
  Informer<Job> jobs_;
  Metric creation_skew_;
};

}  // namespace davit::cronjob
