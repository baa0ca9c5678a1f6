#include "plugins/attachdetach/attach_metrics.hpp"

#include <chrono>
#include <utility>

namespace davit::attachdetach {

AttachMetrics::AttachMetrics(Context& cluster)
    : total_{.metric = cluster.open_metric({.type = MetricType::kGauge,
                                            .name = "attachdetach_controller_total_volumes",
                                            .help = "Number of volumes in A/D Controller",
                                            .labels = {"plugin_name", "state"}})},
      in_use_{.metric = cluster.open_metric({.type = MetricType::kGauge,
                                             .name = "storage_count_attachable_volumes_in_use",
                                             .help = "Measure number of volumes in use",
                                             .labels = {"node", "volume_plugin"}})},
      forced_(cluster.open_metric(
          {.type = MetricType::kCounter,
           .name = "attach_detach_controller_attachdetach_controller_forced_detaches",
           .help = "Number of times the A/D Controller performed a forced detach",
           .labels = {"reason"}})),
      seconds_(cluster.open_metric(
          {.type = MetricType::kHistogram,
           .name = "storage_operation_duration_seconds",
           .help = "Storage operation duration",
           .labels = {"volume_plugin", "operation_name", "status", "migrated"},
           .buckets = {.1, .25, .5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600}})) {}

void AttachMetrics::Gauge::add(const Labels& labels, std::int64_t change) {
  const std::int64_t sum = sums[labels] += change;
  if (sum != 0) {
    metric.record(static_cast<double>(sum), {labels[0], labels[1]});
    return;
  }
  metric.remove({labels[0], labels[1]});
  sums.erase(labels);
}

void AttachMetrics::Gauge::put(const std::string& owner, Counts counts) {
  Counts& old = parts[owner];
  if (old != counts) {
    for (const auto& [labels, count] : old) {
      if (!counts.contains(labels)) add(labels, -count);
    }
    for (const auto& [labels, count] : counts) {
      const auto before = old.find(labels);
      const std::int64_t change = count - (before == old.end() ? 0 : before->second);
      if (change != 0) add(labels, change);
    }
    old = std::move(counts);
  }
  if (old.empty()) parts.erase(owner);
}

void AttachMetrics::count(const std::string& name, const VolumeState* volume) {
  Counts counts;
  if (volume != nullptr && volume->is_known) {
    const std::string plugin = plugin_of(volume->source);
    for (const auto& [node, pair] : volume->pairs) {
      const bool is_there =
          pair.phase != Pair::Phase::kAbsent && pair.phase != Pair::Phase::kAttaching;
      if (is_there) ++counts[{plugin, "actual_state_of_world"}];
    }
    const auto wanted = static_cast<std::int64_t>(volume->wanted.size());
    if (wanted != 0) counts[{plugin, "desired_state_of_world"}] = wanted;
  }
  total_.put(name, std::move(counts));
}

void AttachMetrics::count(const std::string& key, const PodState* pod) {
  Counts counts;
  if (pod != nullptr) {
    for (const std::string& each : pod->plugins) ++counts[{pod->node, each}];
  }
  in_use_.put(key, std::move(counts));
}

void AttachMetrics::ended(std::string_view operation, const Source& source, bool is_ok,
                          Duration took) const {
  seconds_.record(std::chrono::duration<double>(took).count(),
                  {plugin_of(source), operation, is_ok ? "success" : "fail-unknown",
                   source.is_translated ? "true" : "false"});
}

void AttachMetrics::verified(Duration took) const {
  seconds_.record(std::chrono::duration<double>(took).count(),
                  {"<n/a>", "verify_volumes_are_attached_per_node", "success", "false"});
}

}  // namespace davit::attachdetach
