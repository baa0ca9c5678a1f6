#include "cli/options.hpp"

#include <davit/kube/label_syntax.hpp>
#include <filesystem>
#include <utility>

#include "host/plugin/file_trust.hpp"
#include "lib/base/json_text.hpp"
#include "lib/kube/names.hpp"

namespace davit::host {
namespace {

template <typename T>
void lay(const std::optional<T>& flag, T& setting) {
  if (flag) setting = *flag;
}

std::string absolute(const std::string& path) {
  return path.empty() ? path : std::filesystem::absolute(path).lexically_normal().string();
}

/// Flags that break a rule which the manifest's reader checks for its own keys.
void check_flags(const RunOptions& options, std::vector<Mistake>& out) {
  const auto mistake = [&](std::string text) { out.push_back({"", 0, 0, std::move(text)}); };
  if (options.bind_address && !is_ip(*options.bind_address)) {
    mistake("--bind-address must be an IP address, not " + json_string(*options.bind_address));
  }
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
  lay(options.controllers, manifest.controllers);
  lay(options.leader_elect, manifest.leader_election.enabled);
  lay(options.lease_name, manifest.leader_election.name);
  lay(options.lease_namespace, manifest.leader_election.ns);
  lay(options.lease_duration, manifest.leader_election.lease_duration);
  lay(options.renew_deadline, manifest.leader_election.renew_deadline);
  lay(options.retry_period, manifest.leader_election.retry_period);
  lay(options.controller_start_interval, manifest.controller_start_interval);
  lay(options.controller_shutdown_timeout, manifest.controller_shutdown_timeout);
  lay(options.bind_address, manifest.health.bind_address);
  lay(options.port, manifest.health.port);
  lay(options.verbosity, manifest.logging.verbosity);
  lay(options.log_format, manifest.logging.format);
  lay(options.dry_run, manifest.dry_run);
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
  if (!options.manifest.empty()) {
    ManifestResult loaded = load_manifest(options.manifest);
    result.mistakes = std::move(loaded.mistakes);
    result.settings.manifest = std::move(loaded.manifest);
    result.settings.manifest_path = options.manifest;
    const Status trust = check_trust(options.manifest);
    if (!trust.ok() && result.mistakes.empty()) {
      result.mistakes.push_back({options.manifest, 0, 0, trust.message()});
    }
  }
  const bool manifest_good = result.mistakes.empty();
  check_flags(options, result.mistakes);
  result.settings.manifest = merge(std::move(result.settings.manifest), options);
  result.settings.workers = options.workers;
  const std::string rule = check_leader_election(result.settings.manifest.leader_election);
  if (manifest_good && !rule.empty()) result.mistakes.push_back({"", 0, 0, rule});
  return result;
}

}  // namespace davit::host
