#include "plugins/endpointslicemirroring/mirror_metrics.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace davit::endpointslicemirroring {
namespace {

std::string full_name(std::string_view name) {
  return "endpoint_slice_mirroring_controller_" + std::string(name);
}

std::vector<double> doubling(double first, int count) {
  std::vector<double> out = {first};
  while (static_cast<int>(out.size()) < count) out.push_back(out.back() * 2);
  return out;
}

Metric open_count(Context& cluster, std::string_view name, std::string_view help) {
  return cluster.open_metric({.type = MetricType::kHistogram,
                              .name = full_name(name),
                              .help = help,
                              .buckets = doubling(2, 15)});
}

Metric open_gauge(Context& cluster, std::string_view name, std::string_view help) {
  return cluster.open_metric({.type = MetricType::kGauge, .name = full_name(name), .help = help});
}

double number(std::size_t count) { return static_cast<double>(count); }

}  // namespace

MirrorMetrics::MirrorMetrics(Context& cluster)
    : added_(open_count(cluster, "endpoints_added_per_sync",
                        "Number of endpoints added on each Endpoints sync")),
      updated_(open_count(cluster, "endpoints_updated_per_sync",
                          "Number of endpoints updated on each Endpoints sync")),
      removed_(open_count(cluster, "endpoints_removed_per_sync",
                          "Number of endpoints removed on each Endpoints sync")),
      skipped_(open_count(cluster, "addresses_skipped_per_sync",
                          "Number of addresses skipped on each Endpoints sync due to being "
                          "invalid or exceeding MaxEndpointsPerSubset")),
      took_(cluster.open_metric({.type = MetricType::kHistogram,
                                 .name = full_name("endpoints_sync_duration"),
                                 .help = "Duration of syncEndpoints() in seconds",
                                 .buckets = doubling(0.001, 15)})),
      endpoints_(open_gauge(cluster, "endpoints_desired", "Number of endpoints desired")),
      slices_(open_gauge(cluster, "num_endpoint_slices", "Number of EndpointSlices")),
      slices_least_(open_gauge(cluster, "desired_endpoint_slices",
                               "Number of EndpointSlices with perfect endpoint allocation")),
      changes_(cluster.open_metric({.type = MetricType::kCounter,
                                    .name = full_name("changes"),
                                    .help = "Number of EndpointSlice changes",
                                    .labels = {"operation"}})) {}

void MirrorMetrics::planned(const Key& endpoints, const MirrorPlan& plan,
                            std::size_t addresses_skipped) {
  added_.record(number(plan.endpoints_added));
  updated_.record(number(plan.endpoints_updated));
  removed_.record(number(plan.endpoints_removed));
  skipped_.record(number(addresses_skipped));
  const Record record{plan.endpoints_wanted, plan.slices, plan.slices_least};
  replace(endpoints, &record);
}

void MirrorMetrics::forget(const Key& endpoints) { replace(endpoints, nullptr); }

void MirrorMetrics::synced(Duration took) const {
  took_.record(std::chrono::duration<double>(took).count());
}

void MirrorMetrics::replace(const Key& endpoints, const Record* record) {
  const std::lock_guard lock(mutex_);
  if (const auto old = records_.find(endpoints); old != records_.end()) {
    sums_.endpoints -= old->second.endpoints;
    sums_.slices -= old->second.slices;
    sums_.slices_least -= old->second.slices_least;
    records_.erase(old);
  }
  if (record != nullptr) {
    sums_.endpoints += record->endpoints;
    sums_.slices += record->slices;
    sums_.slices_least += record->slices_least;
    records_.emplace(endpoints, *record);
  }
  endpoints_.record(number(sums_.endpoints));
  slices_.record(number(sums_.slices));
  slices_least_.record(number(sums_.slices_least));
}

}  // namespace davit::endpointslicemirroring
