/// The pages about the host itself that kube-controller-manager also has.
#pragma once

#include <functional>

#include "host/health/observability_server.hpp"
#include "host/metrics/metrics.hpp"
#include "host/process/pages/flags_in_force.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/spdlog_sink.hpp"
#include "lib/net/http_message.hpp"

namespace davit::host {

/// The sources of the pages. Borrowed; all must work as long as the routes.
struct HostPages {
  std::function<SettingsInForce()> settings;  ///< Thread-safe, does not block.
  Clock& clock;
  Logger log;
  LogVerbosity* verbosity;  ///< /debug/flags/v changes it; null: it is fixed.
};

/// Mounts /configz, /debug/flags/v, with `serving.profiling` /debug/pprof/ and, unless a feature
/// gate is off, /flagz (ComponentFlagz) and /statusz (ComponentStatusz). The time of this call is
/// the start that /statusz shows.
void add_host_pages(ObservabilityRoutes& routes, const HostPages& pages);

/// Shows every gate in kubernetes_feature_enabled.
void report_feature_gates(const GateSettings& gates, Metrics& metrics);

}  // namespace davit::host
