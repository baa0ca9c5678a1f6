/// Reports of the host about itself: Events, notes for operators, and metrics.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "host/cache/resource_id.hpp"
#include "host/cache/server_history.hpp"
#include "host/cache/skipped_objects.hpp"
#include "host/config/manifest.hpp"
#include "host/crash/quarantine.hpp"
#include "host/events/event_recorders.hpp"
#include "host/health/health_checks.hpp"
#include "host/metrics/metrics.hpp"
#include "host/swap/serving_plugins.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// Whose recorder takes the host's own events, those of leader election included.
inline constexpr std::string_view kHostEvents = "davit";

/// Events of the host refer to its Lease, because an Event needs an object. Thread-safe, except
/// waits().
class HostReports {
 public:
  /// Each outlives this; `quarantine` may be null.
  struct Parts {
    EventRecorders& events;
    HealthChecks& checks;
    IdlePluginMetrics& metrics;
    Quarantine* quarantine;
  };
  HostReports(const Parts& parts, const LeaderElectionSettings& election, Logger log);

  /// The plugins that are in quarantine at the start.
  void quarantined() const;
  /// A plugin left quarantine because it was loaded on an order.
  void released(std::string_view plugin, std::string_view build) const;
  void rolled_back(const std::string& text) const;
  /// The API server was restored to an older state, and this process ends. Must not block.
  void server_restored(const ServerHistory::Restore& what) const;
  /// See ServerHistory::OnUndecided.
  void server_doubted(const ServerHistory::Restore& what) const;
  /// An informer cannot read an object.
  void skipped(const ResourceId& resource, const SkippedObject& object) const;
  /// The controllers that cannot begin, as they are now. From one thread.
  void waits(const std::vector<ControllerWait>& waits);

 private:
  void warn(std::string_view reason, const std::string& text) const;
  void note_quarantine() const;

  const Parts parts_;
  const Reference lease_;
  const Logger log_;
  using Wait = std::tuple<std::string, ResourceId>;
  std::set<Wait> waits_;  // Those that the metric shows.
};

}  // namespace davit::host
