/// The controller's metrics, under upstream's names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/context.hpp>
#include <string_view>
#include <vector>

#include "plugins/job/job.hpp"
#include "plugins/job/job_spec.hpp"
#include "plugins/job/snapshot.hpp"

namespace davit::job {

/// Rule: docs/spec/job.md, 28.
class JobMetrics {
 public:
  /// Opens them, so made while the controller is.
  explicit JobMetrics(Context& cluster);

  void synced(const Job& job, std::string_view action, const Status& result, Duration took) const;
  /// `outcome`: "succeeded" or "failed".
  void finished(const Job& job, std::string_view outcome, std::string_view reason) const;
  /// The status was written: what it counts now and did not before.
  void counted(const Job& job, const JobSpec& spec, const JobStatus& before,
               const JobStatus& now) const;
  void handled(const std::vector<FailureRule::Action>& actions) const;
  /// One round of creations for these reasons.
  void created(const Snapshot& job, std::int64_t succeeded, std::int64_t failed) const;
  /// A pod appeared with its finalizer after it had finished, or has lost it.
  void terminated_pod(std::string_view event) const;
  void external_job(std::string_view controller) const;

 private:
  Metric sync_duration_;
  Metric syncs_;
  Metric jobs_finished_;
  Metric pods_finished_;
  Metric failures_handled_;
  Metric terminated_pods_;
  Metric finished_indexes_;
  Metric pods_creation_;
  Metric external_jobs_;
};

}  // namespace davit::job
