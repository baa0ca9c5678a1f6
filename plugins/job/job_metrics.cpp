#include "plugins/job/job_metrics.hpp"

#include <chrono>

#include "plugins/job/index_set.hpp"
#include "plugins/job/policies.hpp"

namespace davit::job {
namespace {

std::vector<double> sync_buckets() {
  std::vector<double> buckets;
  double bound = 0.004;
  for (int i = 0; i < 15; ++i, bound *= 2) buckets.push_back(bound);
  return buckets;
}

Metric counter(Context& cluster, std::string_view name, std::string_view help,
               std::vector<std::string_view> labels) {
  return cluster.open_metric({.name = name, .help = help, .labels = std::move(labels)});
}

/// Counters fall when an indexed Job gets smaller, which counts as nothing.
void add_growth(const Metric& metric, std::int64_t before, std::int64_t now,
                std::string_view first_label, std::string_view second_label) {
  if (now > before) metric.record(static_cast<double>(now - before), {first_label, second_label});
}

}  // namespace

JobMetrics::JobMetrics(Context& cluster)
    : sync_duration_(cluster.open_metric({.type = MetricType::kHistogram,
                                          .name = "job_controller_job_sync_duration_seconds",
                                          .help = "The time it took to sync a job",
                                          .labels = {"completion_mode", "result", "action"},
                                          .buckets = sync_buckets()})),
      syncs_(counter(cluster, "job_controller_job_syncs_total", "The number of job syncs",
                     {"completion_mode", "result", "action"})),
      jobs_finished_(counter(cluster, "job_controller_jobs_finished_total",
                             "The number of finished jobs",
                             {"completion_mode", "result", "reason"})),
      pods_finished_(counter(cluster, "job_controller_job_pods_finished_total",
                             "The number of finished Pods that are fully tracked",
                             {"completion_mode", "result"})),
      failures_handled_(counter(cluster,
                                "job_controller_pod_failures_handled_by_failure_policy_total",
                                "The number of failed Pods handled by failure policy", {"action"})),
      terminated_pods_(counter(
          cluster, "job_controller_terminated_pods_tracking_finalizer_total",
          "The number of terminated pods that had the finalizer batch.kubernetes.io/job-tracking, "
          "when they terminated (add) and when they lost it or were deleted (delete)",
          {"event"})),
      finished_indexes_(counter(cluster, "job_controller_job_finished_indexes_total",
                                "The number of finished indexes", {"status", "backoffLimit"})),
      pods_creation_(counter(cluster, "job_controller_job_pods_creation_total",
                             "The number of Pods created by the Job controller",
                             {"reason", "status"})),
      external_jobs_(counter(cluster, "job_controller_jobs_by_external_controller_total",
                             "The number of Jobs managed by an external controller",
                             {"controller_name"})) {}

void JobMetrics::synced(const Job& job, std::string_view action, const Status& result,
                        Duration took) const {
  const std::string_view outcome = result.ok() ? "success" : "error";
  sync_duration_.record(std::chrono::duration<double>(took).count(),
                        {completion_mode(job), outcome, action});
  syncs_.record(1, {completion_mode(job), outcome, action});
}

void JobMetrics::finished(const Job& job, std::string_view outcome, std::string_view reason) const {
  jobs_finished_.record(1, {completion_mode(job), outcome, reason});
}

void JobMetrics::counted(const Job& job, const JobSpec& spec, const JobStatus& before,
                         const JobStatus& now) const {
  add_growth(pods_finished_, before.failed, now.failed, completion_mode(job), "failed");
  if (!spec.indexed) {
    add_growth(pods_finished_, before.succeeded, now.succeeded, completion_mode(job), "succeeded");
    return;
  }
  const auto size = [&](const std::string& text) {
    return IndexSet::parse(text, *spec.completions).size();
  };
  const std::int64_t succeeded_before = size(before.completed_indexes);
  const std::int64_t succeeded_now = size(now.completed_indexes);
  const std::string_view limit = spec.per_index() ? "perIndex" : "global";
  add_growth(pods_finished_, succeeded_before, succeeded_now, completion_mode(job), "succeeded");
  add_growth(finished_indexes_, succeeded_before, succeeded_now, "succeeded", limit);
  add_growth(finished_indexes_, size(before.failed_indexes.value_or("")),
             size(now.failed_indexes.value_or("")), "failed", limit);
}

void JobMetrics::handled(const std::vector<FailureRule::Action>& actions) const {
  for (const FailureRule::Action each : actions) failures_handled_.record(1, {action_text(each)});
}

void JobMetrics::created(const Snapshot& job, std::int64_t succeeded, std::int64_t failed) const {
  std::string_view reason = "new";
  if (job.failed > 0 || job.terminating > 0) reason = "recreate_terminating_or_failed";
  if (job.spec.replaces_failed_only && job.failed > 0) reason = "recreate_failed";
  if (succeeded > 0) pods_creation_.record(static_cast<double>(succeeded), {reason, "succeeded"});
  if (failed > 0) pods_creation_.record(static_cast<double>(failed), {reason, "failed"});
}

void JobMetrics::terminated_pod(std::string_view event) const {
  terminated_pods_.record(1, {event});
}

void JobMetrics::external_job(std::string_view controller) const {
  external_jobs_.record(1, {controller});
}

}  // namespace davit::job
