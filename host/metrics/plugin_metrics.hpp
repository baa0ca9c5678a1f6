/// The metrics that plugins open. Internal to host/health.
#pragma once

#include <prometheus/metric_family.h>

#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/metrics/metrics.hpp"
#include "host/metrics/series.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// The series of one definition: name, type, labels and buckets. Thread-safe; a leaf lock.
class MetricStorage {
 public:
  MetricStorage() = default;
  MetricStorage(const MetricStorage&) = delete;
  MetricStorage& operator=(const MetricStorage&) = delete;
  virtual ~MetricStorage() = default;

  virtual Status record(double value, std::span<const std::string_view> label_values) = 0;
  virtual Status remove(std::span<const std::string_view> label_values) = 0;
  /// The help text is that of the first definition.
  [[nodiscard]] virtual std::vector<prometheus::MetricFamily> collect() const = 0;
};

/// The open metrics by name. One name may have several definitions while two generations of a
/// plugin exist; one of them is shown. Thread-safe. Must outlive the metrics that it opens.
class PluginMetrics {
 public:
  /// The rules of `registry` also apply here; it outlives this.
  explicit PluginMetrics(const MetricRegistry& registry) : registry_(registry) {}
  PluginMetrics(const PluginMetrics&) = delete;
  PluginMetrics& operator=(const PluginMetrics&) = delete;

  /// See Metrics::open_plugin_metric().
  [[nodiscard]] Result<std::unique_ptr<PluginMetric>> open(const MetricOptions& options,
                                                           const MetricOwner& owner)
      EXCLUDES(mutex_);

  /// Adds what is shown.
  void collect(std::vector<prometheus::MetricFamily>& out) const EXCLUDES(mutex_);

 private:
  class Opened;
  /// The series that definitions with one type, labels and buckets share.
  struct Shape {
    MetricOptions options;  // Their help text is that of the first.
    std::unique_ptr<MetricStorage> storage;
    std::size_t users = 0;
  };
  struct Entry {
    std::list<Shape> shapes;
    std::vector<Opened*> opened;  // In the order of their opening.
    Opened* shown = nullptr;      // Null: only hidden ones are open.
  };

  [[nodiscard]] static Status check_others(const Entry& entry, const MetricOptions& options,
                                           const MetricOwner& owner);
  void serve(Opened& metric) EXCLUDES(mutex_);
  void close(Opened& metric) EXCLUDES(mutex_);

  const MetricRegistry& registry_;
  mutable Mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
