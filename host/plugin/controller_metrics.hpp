/// The metrics that one controller opened through the ABI.
#pragma once

#include <davit/abi.h>

#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "host/metrics/metrics.hpp"
#include "host/plugin/slot_table.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// They are closed with the controller. Thread-safe.
class ControllerMetrics {
 public:
  /// `all` outlives this.
  explicit ControllerMetrics(Metrics& all) : all_(all) {}
  ControllerMetrics(const ControllerMetrics&) = delete;
  ControllerMetrics& operator=(const ControllerMetrics&) = delete;

  /// See Metrics::open_plugin_metric().
  Result<davit_handle> open(const MetricOptions& options, const MetricOwner& owner)
      EXCLUDES(mutex_) {
    Result<std::unique_ptr<PluginMetric>> opened = all_.open_plugin_metric(options, owner);
    if (!opened) return opened.error();
    const davit_handle handle = handles_.insert(opened->get());
    MutexLock lock(mutex_);
    opened_.push_back(std::move(*opened));
    return handle;
  }

  /// Nothing when the handle is stale. The metric lives as long as this.
  [[nodiscard]] std::optional<PluginMetric*> find(davit_handle handle) const {
    return handles_.find(handle);
  }

  /// This build of the controller serves from now on; see PluginMetric::serve().
  void serve() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    for (const std::unique_ptr<PluginMetric>& each : opened_) each->serve();
  }

 private:
  Metrics& all_;
  SlotTable<PluginMetric*, HandleKind::kMetric> handles_;
  Mutex mutex_;
  std::vector<std::unique_ptr<PluginMetric>> opened_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
