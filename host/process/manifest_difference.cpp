#include "host/process/manifest_difference.hpp"

#include <algorithm>
#include <utility>

namespace davit::host {
namespace {

using Kind = PluginStep::Kind;

bool runs(const DesiredPlugin* plugin) { return plugin != nullptr && !plugin->enabled().empty(); }

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const DesiredController* find(const DesiredPlugin& plugin, const std::string& controller) {
  const auto& all = plugin.controllers;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const auto& each) { return each.name == controller; });
  return found == all.end() ? nullptr : &*found;
}

/// Another build must be made for a controller that runs on.
bool needs_another_build(const DesiredPlugin& now, const DesiredPlugin& wanted,
                         const std::vector<std::string>& staying) {
  if (now.file != wanted.file || now.sha256 != wanted.sha256) return true;
  return std::any_of(staying.begin(), staying.end(), [&](const std::string& name) {
    return find(now, name)->workers != find(wanted, name)->workers;
  });
}

}  // namespace

std::vector<PluginStep> steps_between(const DesiredPlugin* now, const DesiredPlugin* wanted) {
  if (!runs(now) && !runs(wanted)) return {};
  if (!runs(wanted)) return {{Kind::kUnload, now->name}};
  if (!runs(now)) return {{Kind::kLoad, wanted->name}};
  const std::vector<std::string> before = now->enabled();
  const std::vector<std::string> after = wanted->enabled();
  std::vector<std::string> staying;
  std::vector<PluginStep> steps;
  for (const std::string& each : before) {
    if (contains(after, each)) {
      staying.push_back(each);
    } else {
      steps.push_back({Kind::kDisable, each});
    }
  }
  // After the disabling: another build must have what runs, and may lack what does not.
  if (needs_another_build(*now, *wanted, staying)) {
    steps.push_back({Kind::kSwap, wanted->name});
  } else {
    for (const std::string& each : staying) {
      if (find(*now, each)->config != find(*wanted, each)->config) {
        steps.push_back({Kind::kConfigure, each});
      }
    }
  }
  for (const std::string& each : after) {
    if (!contains(before, each)) steps.push_back({Kind::kEnable, each});
  }
  return steps;
}

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::kUnload:
      return "unload";
    case Kind::kDisable:
      return "disable";
    case Kind::kSwap:
      return "swap";
    case Kind::kConfigure:
      return "configure";
    case Kind::kEnable:
      return "enable";
    case Kind::kLoad:
      return "load";
  }
  return "load";
}

std::vector<std::string> fixed_settings_that_differ(const Manifest& now, const Manifest& wanted) {
  std::vector<std::string> out;
  const auto compare = [&](const char* key, const auto& of) {
    if (of(now) != of(wanted)) out.emplace_back(key);
  };
  using M = Manifest;
  compare("client.kubeconfig", [](const M& m) { return m.client.kubeconfig; });
  compare("client.master", [](const M& m) { return m.client.master; });
  compare("client.qps", [](const M& m) { return m.client.qps; });
  compare("client.burst", [](const M& m) { return m.client.burst; });
  compare("client.contentType", [](const M& m) { return m.client.content_type; });
  compare("client.useServiceAccountCredentials",
          [](const M& m) { return m.client.service_account_credentials; });
  compare("client.userAgent", [](const M& m) { return m.client.user_agent; });
  compare("client.minResyncPeriod", [](const M& m) { return m.client.min_resync_period; });
  compare("client.fieldManager", [](const M& m) { return m.client.field_manager; });
  compare("leaderElection.enabled", [](const M& m) { return m.leader_election.enabled; });
  compare("leaderElection.name", [](const M& m) { return m.leader_election.name; });
  compare("leaderElection.namespace", [](const M& m) { return m.leader_election.ns; });
  compare("leaderElection.leaseDuration",
          [](const M& m) { return m.leader_election.lease_duration; });
  compare("leaderElection.renewDeadline",
          [](const M& m) { return m.leader_election.renew_deadline; });
  compare("leaderElection.retryPeriod", [](const M& m) { return m.leader_election.retry_period; });
  compare("leaderElection.enableLeaderMigration",
          [](const M& m) { return m.leader_election.migrates; });
  compare("leaderElection.leaderMigrationConfig", [](const M& m) {
    return std::pair(m.leader_election.migration_config, m.leader_election.migration);
  });
  compare("health.bindAddress", [](const M& m) { return m.health.bind_address; });
  compare("health.port", [](const M& m) { return m.health.port; });
  compare("serving", [](const M& m) { return m.serving; });
  compare("authentication", [](const M& m) { return m.authentication; });
  compare("authorization", [](const M& m) { return m.authorization; });
  compare("logging.verbosity", [](const M& m) { return m.logging.verbosity; });
  compare("logging.format", [](const M& m) { return m.logging.format; });
  compare("logging.vmodule", [](const M& m) { return m.logging.modules; });
  compare("metrics", [](const M& m) { return m.metrics; });
  compare("tracing", [](const M& m) { return m.tracing; });
  compare("swap.watchFor", [](const M& m) { return m.swap.watch_for; });
  compare("swap.maxErrorPercent", [](const M& m) { return m.swap.max_error_percent; });
  compare("pluginSignatures", [](const M& m) { return m.plugin_signatures; });
  compare("controllerStartInterval", [](const M& m) { return m.controller_start_interval; });
  compare("controllerShutdownTimeout", [](const M& m) { return m.controller_shutdown_timeout; });
  compare("dryRun", [](const M& m) { return m.dry_run; });
  compare("stateDirectory", [](const M& m) { return m.state_directory; });
  compare("quarantine.crashes", [](const M& m) { return m.quarantine.crashes; });
  compare("quarantine.window", [](const M& m) { return m.quarantine.window; });
  compare("journal.bytes", [](const M& m) { return m.journal.bytes; });
  return out;
}

}  // namespace davit::host
