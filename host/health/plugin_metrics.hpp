/// The metrics that plugins open. Internal to host/health.
#pragma once

#include <prometheus/registry.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "host/health/metrics.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Thread-safe.
class PluginMetrics {
 public:
  /// `registry` must outlive this.
  explicit PluginMetrics(prometheus::Registry& registry) : registry_(registry) {}

  /// See Metrics::open_plugin_metric().
  [[nodiscard]] Result<PluginMetric*> open(const MetricOptions& options) EXCLUDES(mutex_);

 private:
  struct Entry {
    MetricOptions options;
    std::unique_ptr<PluginMetric> metric;
  };

  prometheus::Registry& registry_;
  Mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
