/// JobSync: one sync of one Job.
#pragma once

#include <davit/context.hpp>
#include <davit/kube/pod.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "plugins/job/end_plan.hpp"
#include "plugins/job/job.hpp"
#include "plugins/job/job_memory.hpp"
#include "plugins/job/job_metrics.hpp"
#include "plugins/job/pod_writer.hpp"
#include "plugins/job/snapshot.hpp"
#include "plugins/job/tracking_plan.hpp"

namespace davit::job {

/// The parts that all syncs use. The references outlive them.
struct JobParts {
  Context& cluster;
  const Queue& queue;
  const Informer<Pod>& pods;
  JobMemory& memory;
  const PodWriter& writer;
  const JobMetrics& metrics;
};

/// Read, decide, act, for a Job that is neither finished nor another controller's. The rules are in
/// the plans; this reads for them, sends what they say and keeps the order of the writes.
/// Rule: docs/spec/job.md, 7.
class JobSync {
 public:
  /// `spec` is read from `job`. The Job must outlive the sync.
  JobSync(const JobParts& parts, const Job& job, JobSpec spec);

  [[nodiscard]] Status run();

  /// The metrics' word for what it did to pods.
  [[nodiscard]] std::string_view action() const { return action_; }

 private:
  /// The pods that belong to the Job, adopted ones included.
  [[nodiscard]] Result<std::vector<PodFacts>> claim_pods() const;
  void start_clock();
  /// The back-off after the pods that have finished.
  [[nodiscard]] Backoff backoff() const;
  /// Deletes what still runs of a Job that ends. Forgets the end for now if a pod may be left.
  [[nodiscard]] Status remove_active();
  [[nodiscard]] Status manage_pods();
  void set_suspended();

  // ---- The order of the writes: docs/spec/job.md, 21 ----

  [[nodiscard]] Status track();
  /// Lists what has finished. Whether the status must be written before finalizers go.
  [[nodiscard]] bool list_finished(const TrackingPlan& plan, bool folded);
  [[nodiscard]] bool announce();
  /// Writes status_ and reads the Job that the server returns.
  [[nodiscard]] Status write_status(std::string_view purpose);
  /// Sets the terminal condition if nothing is left to count or to wait for.
  [[nodiscard]] bool finish(const TrackingPlan& plan);
  void report_end() const;

  const JobParts parts_;
  const Job& job_;
  const JobId id_;
  const bool satisfied_;
  Snapshot it_;
  JobStatus status_{};
  std::optional<Job> written_{};  ///< As the server returned it last.
  JobStatus counted_{};           ///< The status that the metrics count.
  std::optional<End> end_{};
  Backoff backoff_{};
  bool suspension_changed_ = false;
  std::string_view action_ = "reconciling";
};

}  // namespace davit::job
