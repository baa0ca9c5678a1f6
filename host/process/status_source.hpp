/// Collects the host's status from its parts.
#pragma once

#include <vector>

#include "host/cache/informer_factory.hpp"
#include "host/crash/quarantine.hpp"
#include "host/health/health_checks.hpp"
#include "host/health/observability_server.hpp"
#include "host/journal/journal.hpp"
#include "host/metrics/metrics.hpp"
#include "host/process/host_elections.hpp"
#include "host/status/host_status.hpp"
#include "host/status/status_board.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// The parts of a host that its status shows; references are borrowed for the call.
struct StatusParts {
  Clock& clock;
  ServingPlugins& plugins;
  std::vector<CacheState> caches;
  HealthChecks& checks;
  const HostElections* elections;  ///< Null: no election.
  std::string lease;               ///< "kube-system/davit"
  const Quarantine* quarantine;    ///< May be null.
  const Journal& journal;
};

/// The present state, without the crashes. Thread-safe; blocks for no longer than short locks.
[[nodiscard]] HostStatus collect_status(StatusParts parts);

/// Writes the gauges of the caches.
void report_caches(const InformerFactory& informers, Metrics& metrics, Time now);

/// The last syncs of all controllers that wrote something, newest first.
[[nodiscard]] std::vector<RecentWrite> recent_writes(const Journal& journal, const Clock& clock);

/// Mounts "/" and "/status.json". `board` must work as long as `routes`.
void add_status_routes(ObservabilityRoutes& routes, StatusBoard& board);

}  // namespace davit::host
