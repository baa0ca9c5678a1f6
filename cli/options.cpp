#include "cli/options.hpp"

#include <davit/kube/label_syntax.hpp>
#include <filesystem>
#include <utility>

#include "lib/base/absolute_path.hpp"
#include "lib/base/json_text.hpp"
#include "lib/kube/names.hpp"

namespace davit::host {
namespace {

template <typename T>
void lay(const std::optional<T>& flag, T& setting) {
  if (flag) setting = *flag;
}

std::string absolute(const std::string& path) { return absolute_path(path).string(); }

/// Flags that break a rule which the manifest's reader checks for its own keys.
void check_flags(const RunOptions& options, std::vector<Mistake>& out) {
  const auto mistake = [&](std::string text) { out.push_back({"", 0, 0, std::move(text)}); };
  for (const std::string& each : options.problems) mistake(each);
  const auto check = [&](const char* flag, const std::string& wrong) {
    if (!wrong.empty()) mistake(std::string(flag) + " " + wrong);
  };
  check("--user-agent", check_user_agent(options.user_agent.value_or("")));
  check("--field-manager", check_field_manager(options.field_manager.value_or("")));
  if (options.lease_name && !is_dns_subdomain(*options.lease_name)) {
    mistake("--leader-elect-resource-name must be a DNS subdomain, not " +
            json_string(*options.lease_name));
  }
  if (options.lease_namespace && !is_dns_label(*options.lease_namespace)) {
    mistake("--leader-elect-resource-namespace must be a DNS label, not " +
            json_string(*options.lease_namespace));
  }
}

}  // namespace

Manifest merge(Manifest manifest, const RunOptions& options) {
  if (options.kubeconfig) manifest.client.kubeconfig = absolute(*options.kubeconfig);
  lay(options.master, manifest.client.master);
  lay(options.qps, manifest.client.qps);
  lay(options.burst, manifest.client.burst);
  lay(options.content_type, manifest.client.content_type);
  lay(options.service_account_credentials, manifest.client.service_account_credentials);
  lay(options.user_agent, manifest.client.user_agent);
  lay(options.field_manager, manifest.client.field_manager);
  lay(options.controllers, manifest.controllers);
  lay(options.leader_elect, manifest.leader_election.enabled);
  lay(options.lease_name, manifest.leader_election.name);
  lay(options.lease_namespace, manifest.leader_election.ns);
  lay(options.lease_duration, manifest.leader_election.lease_duration);
  lay(options.renew_deadline, manifest.leader_election.renew_deadline);
  lay(options.retry_period, manifest.leader_election.retry_period);
  lay(options.leader_migration, manifest.leader_election.migrates);
  if (options.migration_config) {
    manifest.leader_election.migration_config = absolute(*options.migration_config);
  }
  lay(options.controller_start_interval, manifest.controller_start_interval);
  lay(options.controller_shutdown_timeout, manifest.controller_shutdown_timeout);
  lay(options.port, manifest.health.port);
  for (const auto& each : options.changes) each(manifest);
  lay(options.verbosity, manifest.logging.verbosity);
  lay(options.log_format, manifest.logging.format);
  lay(options.dry_run, manifest.dry_run);
  for (const auto& [controller, settings] : options.controller_settings) {
    lay_over(settings, manifest.controller_settings[controller]);
  }
  for (const auto& [gate, on] : options.feature_gates) manifest.feature_gates[gate] = on;
  apply_gates(manifest);
  if (options.state_directory) manifest.state_directory = absolute(*options.state_directory);
  lay(options.quarantine_crashes, manifest.quarantine.crashes);
  lay(options.quarantine_window, manifest.quarantine.window);
  if (!options.plugin_directories.empty()) {
    manifest.plugin_directories.clear();
    for (const std::string& directory : options.plugin_directories) {
      manifest.plugin_directories.push_back(absolute(directory));
    }
  }
  return manifest;
}

SettingsResult merge_settings(const RunOptions& options) {
  SettingsResult result;
  if (!options.manifest.empty()) result = read_manifest(options.manifest);
  const ManifestState manifest = result.ok() ? ManifestState::kGood : ManifestState::kMistaken;
  check_flags(options, result.mistakes);
  result.settings.manifest = merge(std::move(result.settings.manifest), options);
  result.settings.workers = options.workers;
  result.settings.warnings = options.warnings;
  check_settings(result, manifest);
  return result;
}

}  // namespace davit::host
