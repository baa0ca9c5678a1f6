#include "host/process/host_reports.hpp"

#include <utility>

namespace davit::host {
namespace {

Reference lease_of(const LeaderElectionSettings& election) {
  Reference lease;
  lease.api_version = "coordination.k8s.io/v1";
  lease.kind = "Lease";
  lease.ns = election.ns;
  lease.name = election.name;
  return lease;
}

}  // namespace

HostReports::HostReports(const Parts& parts, const LeaderElectionSettings& election, Logger log)
    : parts_(parts), lease_(lease_of(election)), log_(std::move(log)) {}

void HostReports::warn(std::string_view reason, const std::string& text) const {
  parts_.events.of(kHostEvents).record(lease_, "Warning", std::string(reason), text, "davit");
}

void HostReports::note_quarantine() const {
  std::vector<std::string> lines;
  for (const QuarantinedPlugin& each : parts_.quarantine->quarantined()) {
    lines.push_back(each.text());
  }
  parts_.checks.note("quarantine", std::move(lines));
}

void HostReports::quarantined() const {
  if (parts_.quarantine == nullptr) return;
  for (const QuarantinedPlugin& each : parts_.quarantine->quarantined()) {
    log_.warning("A plugin is quarantined, because it is in a crash loop",
                 {{"plugin", each.plugin},
                  {"build", each.why.build},
                  {"crashes", each.why.crashes},
                  {"controller", each.why.last.controller},
                  {"key", each.why.last.key},
                  {"signal", each.why.last.signal}});
    parts_.metrics.plugin_quarantined(each.plugin, each.why.build,
                                      IdlePluginMetrics::Quarantined::kYes);
    warn("PluginQuarantined", each.text());
  }
  note_quarantine();
}

void HostReports::released(std::string_view plugin, std::string_view build) const {
  log_.info(0, "A plugin was released from quarantine", {{"plugin", plugin}});
  parts_.metrics.plugin_quarantined(plugin, build, IdlePluginMetrics::Quarantined::kNo);
  note_quarantine();
}

void HostReports::rolled_back(const std::string& text) const { warn("PluginRolledBack", text); }

void HostReports::server_restored(const ServerHistory::Restore& what) const {
  log_.error(
      "The API server was restored to an older state. This process stops writing and exits, to be "
      "restarted with empty caches",
      {{"resource", what.resource}, {"known", what.known}, {"resourceVersion", what.version}});
  warn("ServerRestored", "the API server is at version " + what.version + " of " + what.resource +
                             " after version " + what.known +
                             ", as after a restore of etcd; davit ends, to be restarted");
}

void HostReports::server_doubted(const ServerHistory::Restore& what) const {
  log_.warning(
      "The versions of a resource went back. If the API server was restored, restart this process; "
      "it follows no built-in resource that could show that",
      {{"resource", what.resource}, {"known", what.known}, {"resourceVersion", what.version}});
}

void HostReports::skipped(const ResourceId& resource, const SkippedObject& object) const {
  const ObjectIdentity& identity = object.identity;
  if (identity.kind.empty() || identity.name.empty()) return;  // The log line has to do.
  parts_.events.of(kHostEvents)
      .record({.api_version = identity.api_version,
               .kind = identity.kind,
               .ns = identity.ns,
               .name = identity.name,
               .uid = identity.uid,
               .resource_version = identity.resource_version,
               .field_path = {}},
              "Warning", "ObjectSkipped",
              "davit cannot read this object of " + resource.text() + ": " + object.why +
                  (object.is_kept ? ". Controllers use its last readable state"
                                  : ". Controllers do not see it") +
                  "; change or delete it",
              "davit");
}

void HostReports::waits(const std::vector<ControllerWait>& waits) {
  std::set<Wait> now;
  std::vector<std::string> lines;
  for (const ControllerWait& each : waits) {
    lines.push_back(each.text());
    now.emplace(each.controller, each.resource);
  }
  for (const auto& [controller, resource] : waits_) {
    if (!now.contains({controller, resource})) {
      parts_.metrics.controller_waits(controller, resource, IdlePluginMetrics::Waits::kNo);
    }
  }
  for (const auto& [controller, resource] : now) {
    parts_.metrics.controller_waits(controller, resource, IdlePluginMetrics::Waits::kYes);
  }
  waits_ = std::move(now);
  parts_.checks.note("controllers", std::move(lines));
}

}  // namespace davit::host
