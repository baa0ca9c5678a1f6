#include "plugins/volumebinder/binder_metrics.hpp"

#include <chrono>
#include <tuple>

#include "plugins/shared/volumes/storage_facts.hpp"
#include "plugins/volumebinder/names.hpp"

namespace davit::volumebinder {
namespace {

Metric open_gauge(Context& cluster, std::string_view name, std::string_view help,
                  std::vector<std::string_view> labels) {
  return cluster.open_metric(
      {.type = MetricType::kGauge, .name = name, .help = help, .labels = std::move(labels)});
}

Metric open_counter(Context& cluster, std::string_view name, std::string_view help,
                    std::vector<std::string_view> labels = {}) {
  return cluster.open_metric(
      {.type = MetricType::kCounter, .name = name, .help = help, .labels = std::move(labels)});
}

std::string_view source_plugin(const volumes::Volume& volume) {
  if (volume.spec()["hostPath"]) return "kubernetes.io/host-path";
  return volume.spec()["nfs"] ? "kubernetes.io/nfs" : "N/A";
}

/// Counts an object that is there, or no more.
template <std::size_t kLabels>
void change(CountedGauge<kLabels>& gauge, const std::array<std::string, kLabels>& labels,
            bool is_there) {
  if (is_there) {
    gauge.add(labels);
  } else {
    gauge.take(labels);
  }
}

}  // namespace

BinderMetrics::BinderMetrics(Context& cluster)
    : bound_volumes_(open_gauge(cluster, "pv_collector_bound_pv_count",
                                "Gauge measuring number of persistent volume currently bound",
                                {"storage_class"})),
      unbound_volumes_(open_gauge(cluster, "pv_collector_unbound_pv_count",
                                  "Gauge measuring number of persistent volume currently unbound",
                                  {"storage_class"})),
      bound_claims_(open_gauge(cluster, "pv_collector_bound_pvc_count",
                               "Gauge measuring number of persistent volume claim currently bound",
                               {"namespace", "storage_class", "volume_attributes_class"})),
      unbound_claims_(
          open_gauge(cluster, "pv_collector_unbound_pvc_count",
                     "Gauge measuring number of persistent volume claim currently unbound",
                     {"namespace", "storage_class", "volume_attributes_class"})),
      all_volumes_(open_gauge(cluster, "pv_collector_total_pv_count",
                              "Gauge measuring total number of persistent volumes",
                              {"plugin_name", "volume_mode"})),
      seconds_(cluster.open_metric(
          {.type = MetricType::kHistogram,
           .name = "volume_operation_total_seconds",
           .help = "Total volume operation time",
           .labels = {"plugin_name", "operation_name"},
           .buckets = {.1, .25, .5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600}})),
      errors_(open_counter(cluster, "volume_operation_errors_total",
                           "Total volume operation errors", {"plugin_name", "operation_name"})),
      assigned_(open_counter(cluster, "retroactive_storageclass_total",
                             "Total number of retroactive StorageClass assignments to persistent "
                             "volume claim")),
      not_assigned_(open_counter(cluster, "retroactive_storageclass_errors_total",
                                 "Total number of failed retroactive StorageClass assignments to "
                                 "persistent volume claim")) {}

void BinderMetrics::count(const volumes::Volume& volume, bool is_there) {
  change(volume.phase() == kBound ? bound_volumes_ : unbound_volumes_,
         {std::string(volumes::class_of(volume))}, is_there);
  change(all_volumes_, {std::string(source_plugin(volume)), std::string(volumes::mode_of(volume))},
         is_there);
}

void BinderMetrics::count(const volumes::Claim& claim, bool is_there) {
  change(claim.phase() == kBound ? bound_claims_ : unbound_claims_,
         {std::string(claim.ns()), std::string(volumes::class_of(claim)),
          std::string(volumes::attributes_class_of(claim))},
         is_there);
}

void BinderMetrics::ended(std::string_view operation, std::string_view plugin,
                          Duration took) const {
  seconds_.record(std::chrono::duration<double>(took).count(), {plugin, operation});
}

void BinderMetrics::failed(std::string_view operation, std::string_view plugin) const {
  errors_.record(1, {plugin, operation});
}

void BinderMetrics::default_class_assigned(bool was_written) const {
  (was_written ? assigned_ : not_assigned_).record(1);
}

}  // namespace davit::volumebinder
