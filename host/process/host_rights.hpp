/// The rights of a running host: who is asked, and where the answers are shown.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "host/api/rest_client.hpp"
#include "host/config/manifest.hpp"
#include "host/health/health_checks.hpp"
#include "host/metrics/metrics.hpp"
#include "host/process/host_clients.hpp"
#include "host/process/rights_preflight.hpp"
#include "host/swap/serving_plugins.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// A note of HealthChecks and the metric davit_missing_rights of what a RightsPreflight finds.
class HostRights {
 public:
  /// Each reference outlives it.
  struct Seams {
    HostClients& clients;
    ServingPlugins& plugins;
    Metrics& metrics;
    HealthChecks& checks;
    Clock& clock;
    Logger log;
    /// Whether the controllers' own accounts may be asked: their tokens are a leader's.
    std::function<bool()> is_leader;
  };

  /// Begins to review; the destructor ends it. Null, with a line in the log, if the system has no
  /// thread for it.
  [[nodiscard]] static std::unique_ptr<HostRights> start(const Manifest& manifest,
                                                         const Seams& seams);
  /// See start().
  HostRights(const Manifest& manifest, const Seams& seams);
  HostRights(const HostRights&) = delete;
  HostRights& operator=(const HostRights&) = delete;

 private:
  [[nodiscard]] std::vector<DeclaredController> controllers() const;
  [[nodiscard]] RestClient* client_of(const std::string& account);
  void report(const RightsPreflight::Missing& missing);

  const Seams seams_;
  // Only the thread of preflight_ uses them.
  std::map<std::string, std::unique_ptr<RestClient>> rest_;  // The key is the account.
  std::set<std::string> shown_;                              // Controllers with a series.
  RightsPreflight preflight_;
};

}  // namespace davit::host
