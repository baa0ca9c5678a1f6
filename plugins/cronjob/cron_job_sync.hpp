/// One sync of one CronJob.
#pragma once

#include <davit/context.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/cronjob/cron_job.hpp"
#include "plugins/cronjob/start_plan.hpp"
#include "plugins/cronjob/status_draft.hpp"

namespace davit::cronjob {

/// Read, decide, act: the rules are in start_plan and history_plan, which are pure. Rule:
/// docs/spec/cronjob.md, 5 to 7.
class CronJobSync {
 public:
  /// Parts of the controller; all must outlive the sync.
  struct Shared {
    Context& cluster;
    const Metric& creation_skew;
    const TimeZone& local;
  };

  /// `children`: the cached Jobs whose controller it is.
  CronJobSync(const Shared& shared, const CronJob& cron_job, std::vector<Job> children);

  /// Does the work and writes the status once, even after a failure.
  [[nodiscard]] Result<Again> run();

 private:
  /// Deletes the finished Jobs beyond the limits. Whether none of them is left.
  [[nodiscard]] bool clean_history();
  [[nodiscard]] Result<Again> reconcile();
  /// Takes finished Jobs out of status.active and reports those that it lacks.
  [[nodiscard]] Status follow_children();
  [[nodiscard]] Status report_unlisted(const Job& child);
  /// Takes Jobs that are gone out of status.active.
  [[nodiscard]] Status drop_missing();
  /// Whether the server has the Job of status.active. kNotFound if it is not the CronJob's.
  [[nodiscard]] Status find(const JobReference& reference) const;
  [[nodiscard]] Result<Again> start_due(const Schedule& schedule, const TimeZone& zone);
  [[nodiscard]] Status make_room();
  enum class Started { kYes, kNameTaken };
  [[nodiscard]] Result<Started> start(Instant start, const TimeZone& zone);
  [[nodiscard]] Result<Started> take_over(const std::string& name);
  [[nodiscard]] Status remove_job(const std::string& ns, const std::string& name,
                                  const std::string& uid);
  [[nodiscard]] Again again(const Schedule& schedule) const;

  void normal(std::string_view reason, const std::string& message) const;
  void warning(std::string_view reason, const std::string& message) const;

  const Shared shared_;
  CronJob cron_job_;  // The cached one, or a live one that the sync had to read.
  const std::vector<Job> children_;
  const WallTime now_;
  StatusDraft draft_;
};

}  // namespace davit::cronjob
