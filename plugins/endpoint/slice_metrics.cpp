#include "plugins/endpoint/slice_metrics.hpp"

#include <algorithm>

namespace davit::endpoint {

namespace {

Metric open_histogram(Context& cluster, std::string_view name, std::string_view help) {
  return cluster.open_metric(
      {.type = MetricType::kHistogram,
       .name = name,
       .help = help,
       .buckets = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768}});
}

Metric open_gauge(Context& cluster, std::string_view name, std::string_view help) {
  return cluster.open_metric({.type = MetricType::kGauge, .name = name, .help = help});
}

/// The label that upstream's gauge uses for a distribution; other values could be anything.
std::string gauge_label(std::string_view distribution) {
  if (distribution.empty() || distribution == "PreferClose") return std::string(distribution);
  return "ImplementationSpecific";
}

double number(std::size_t count) { return static_cast<double>(count); }

}  // namespace

SliceMetrics::SliceMetrics(Context& cluster)
    : added_(open_histogram(cluster, "endpoint_slice_controller_endpoints_added_per_sync",
                            "Number of endpoints added on each Service sync")),
      removed_(open_histogram(cluster, "endpoint_slice_controller_endpoints_removed_per_sync",
                              "Number of endpoints removed on each Service sync")),
      endpoints_(open_gauge(cluster, "endpoint_slice_controller_endpoints_desired",
                            "Number of endpoints desired")),
      slices_(open_gauge(cluster, "endpoint_slice_controller_num_endpoint_slices",
                         "Number of EndpointSlices")),
      slices_least_(open_gauge(cluster, "endpoint_slice_controller_desired_endpoint_slices",
                               "Number of EndpointSlices with perfect endpoint allocation")),
      changes_(cluster.open_metric({.type = MetricType::kCounter,
                                    .name = "endpoint_slice_controller_changes",
                                    .help = "Number of EndpointSlice changes",
                                    .labels = {"operation"}})),
      changed_(cluster.open_metric(
          {.type = MetricType::kHistogram,
           .name = "endpoint_slice_controller_endpointslices_changed_per_sync",
           .help = "Number of EndpointSlices changed on each Service sync",
           .labels = {"topology", "traffic_distribution"},
           .buckets = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}})),
      syncs_(cluster.open_metric({.type = MetricType::kCounter,
                                  .name = "endpoint_slice_controller_syncs",
                                  .help = "Number of EndpointSlice syncs",
                                  .labels = {"result"}})),
      distributions_(cluster.open_metric(
          {.type = MetricType::kGauge,
           .name = "endpoint_slice_controller_services_count_by_traffic_distribution",
           .help = "Number of Services using some specific trafficDistribution",
           .labels = {"traffic_distribution"}})) {}

void SliceMetrics::planned(const Key& service, const SlicePlan& plan, std::size_t listed,
                           std::string_view distribution) {
  added_.record(number(plan.added));
  removed_.record(number(plan.removed));
  const Record record{plan.endpoints_wanted, listed + plan.create.size() - plan.remove.size(),
                      std::max<std::size_t>(plan.slices_least, 1), gauge_label(distribution)};
  replace(service, &record);
}

void SliceMetrics::done(const SlicePlan& plan, std::string_view topology,
                        std::string_view distribution) const {
  changed_.record(number(plan.create.size() + plan.update.size() + plan.remove.size()),
                  {topology, distribution});
}

void SliceMetrics::synced(SyncResult result) const {
  syncs_.record(1, {result == SyncResult::kSuccess ? "success"
                    : result == SyncResult::kStale ? "stale"
                                                   : "error"});
}

void SliceMetrics::forget(const Key& service) { replace(service, nullptr); }

void SliceMetrics::replace(const Key& service, const Record* record) {
  const std::lock_guard lock(mutex_);
  const auto count = [this](const std::string& distribution) -> std::size_t& {
    return by_distribution_[distribution];
  };
  const auto show = [&](const std::string& distribution) {
    if (!distribution.empty()) {
      distributions_.record(number(count(distribution)), {distribution});
    }
  };
  if (const auto old = records_.find(service); old != records_.end()) {
    sums_.endpoints -= old->second.endpoints;
    sums_.slices -= old->second.slices;
    sums_.slices_least -= old->second.slices_least;
    --count(old->second.distribution);
    show(old->second.distribution);
    records_.erase(old);
  }
  if (record != nullptr) {
    sums_.endpoints += record->endpoints;
    sums_.slices += record->slices;
    sums_.slices_least += record->slices_least;
    ++count(record->distribution);
    show(record->distribution);
    records_.emplace(service, *record);
  }
  endpoints_.record(number(sums_.endpoints));
  slices_.record(number(sums_.slices));
  slices_least_.record(number(sums_.slices_least));
}

}  // namespace davit::endpoint
