#include "plugins/podautoscaler/autoscaler_metrics.hpp"

#include <chrono>
#include <vector>

namespace davit::podautoscaler {
namespace {

/// From a millisecond, each bucket twice the one before.
std::vector<double> computation_buckets() {
  constexpr int kCount = 15;
  std::vector<double> out;
  double bound = 0.001;
  for (int i = 0; i < kCount; ++i, bound *= 2) out.push_back(bound);
  return out;
}

std::string_view action_text(std::int32_t from, std::int32_t to) {
  if (to > from) return "scale_up";
  return to < from ? "scale_down" : "none";
}

std::string_view error_text(ErrorKind error) {
  switch (error) {
    case ErrorKind::kSpec:
      return "spec";
    case ErrorKind::kInternal:
      return "internal";
    case ErrorKind::kNone:
      break;
  }
  return "none";
}

}  // namespace

AutoscalerMetrics::AutoscalerMetrics(Context& cluster)
    : cluster_(cluster),
      reconciliations_(
          cluster.open_metric({.type = MetricType::kCounter,
                               .name = "horizontal_pod_autoscaler_controller_reconciliations_total",
                               .help = "Number of reconciliations of HPA controller.",
                               .labels = {"action", "error"}})),
      reconciliation_seconds_(cluster.open_metric(
          {.type = MetricType::kHistogram,
           .name = "horizontal_pod_autoscaler_controller_reconciliation_duration_seconds",
           .help = "The time(seconds) that the HPA controller takes to reconcile once.",
           .labels = {"action", "error"},
           .buckets = computation_buckets()})),
      computations_(cluster.open_metric(
          {.type = MetricType::kCounter,
           .name = "horizontal_pod_autoscaler_controller_metric_computation_total",
           .help = "Number of metric computations.",
           .labels = {"action", "error", "metric_type"}})),
      computation_seconds_(cluster.open_metric(
          {.type = MetricType::kHistogram,
           .name = "horizontal_pod_autoscaler_controller_metric_computation_duration_seconds",
           .help = "The time(seconds) that the HPA controller takes to calculate one metric.",
           .labels = {"action", "error", "metric_type"},
           .buckets = computation_buckets()})),
      autoscalers_(cluster.open_metric(
          {.type = MetricType::kGauge,
           .name = "horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers",
           .help = "Current number of controlled HPA objects."})),
      desired_(cluster.open_metric({.type = MetricType::kGauge,
                                    .name = "horizontal_pod_autoscaler_controller_desired_replicas",
                                    .help = "Current desired replica count for HPA objects.",
                                    .labels = {"namespace", "hpa_name"}})) {}

double AutoscalerMetrics::seconds_since(Time begin) const {
  return std::chrono::duration<double>(cluster_.now() - begin).count();
}

void AutoscalerMetrics::reconciled(std::int32_t from, std::int32_t to, ErrorKind error,
                                   Time begin) const {
  const std::string_view action = action_text(from, to);
  reconciliations_.record(1, {action, error_text(error)});
  reconciliation_seconds_.record(seconds_since(begin), {action, error_text(error)});
}

void AutoscalerMetrics::computed(std::int32_t from, std::int32_t to, ErrorKind error,
                                 std::string_view type, Time begin) const {
  const std::string_view action = error == ErrorKind::kNone ? action_text(from, to) : "none";
  computations_.record(1, {action, error_text(error), type});
  computation_seconds_.record(seconds_since(begin), {action, error_text(error), type});
}

void AutoscalerMetrics::count(std::size_t autoscalers) const {
  autoscalers_.record(static_cast<double>(autoscalers));
}

void AutoscalerMetrics::desired(std::string_view ns, std::string_view name,
                                std::int32_t replicas) const {
  desired_.record(replicas, {ns, name});
}

void AutoscalerMetrics::forget(std::string_view ns, std::string_view name) const {
  desired_.remove({ns, name});
}

}  // namespace davit::podautoscaler
