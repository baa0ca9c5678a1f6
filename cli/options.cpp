#include "cli/options.hpp"

#include <davit/kube/label_syntax.hpp>
#include <filesystem>
#include <utility>

#include "lib/base/absolute_path.hpp"
#include "lib/base/file_trust.hpp"
#include "lib/base/json_text.hpp"
#include "lib/kube/json.hpp"
#include "lib/kube/names.hpp"

namespace davit::host {
namespace {

template <typename T>
void lay(const std::optional<T>& flag, T& setting) {
  if (flag) setting = *flag;
}

std::string absolute(const std::string& path) { return absolute_path(path).string(); }

/// Gates that controllers of davit have as members of their configuration. A member that is set
/// wins.
void apply_gates(Manifest& manifest) {
  struct Option {
    const char* gate;
    const char* controller;
    const char* member;
  };
  constexpr Option kOptions[] = {
      {"DeploymentReplicaSetTerminatingReplicas", "replicaset-controller", "terminatingReplicas"},
      {"MaxUnavailableStatefulSet", "statefulset-controller", "maxUnavailable"},
      {"PodCertificateRequest", "podcertificaterequest-cleaner-controller",
       "podCertificateRequest"},
      {"ClusterTrustBundle", "kube-apiserver-serving-clustertrustbundle-publisher-controller",
       "clusterTrustBundle"},
      {"PersistentVolumeClaimUnusedSinceTime", "persistentvolumeclaim-protection-controller",
       "unusedSinceTime"},
      {"HPAScaleToZero", "horizontal-pod-autoscaler-controller", "scaleToZero"},
      {"HPAConfigurableTolerance", "horizontal-pod-autoscaler-controller", "configurableTolerance"},
      {"PodLevelResources", "horizontal-pod-autoscaler-controller", "podLevelResources"},
      {"DRAWorkloadResourceClaims", "resourceclaim-controller", "workloadResourceClaims"},
      {"DRAWorkloadResourceClaims", "device-taint-eviction-controller", "workloadResourceClaims"},
      {"DRADeviceTaints", "device-taint-eviction-controller", "deviceTaints"},
      {"DRADeviceTaintRules", "device-taint-eviction-controller", "deviceTaintRules"},
      {"GenericWorkload", "podgroup-protection-controller", "genericWorkload"},
      {"DRAResourcePoolStatus", "resourcepoolstatusrequest-controller", "resourcePoolStatus"},
      {"StorageVersionAPI", "storageversion-garbage-collector-controller", "storageVersionAPI"},
      {"StorageVersionMigrator", "storage-version-migrator-controller", "storageVersionMigrator"}};
  for (const Option& each : kOptions) {
    if (!is_gate_set(each.gate, manifest.feature_gates)) continue;
    const bool on = is_gate_on(each.gate, manifest.feature_gates);
    ControllerSettings settings;
    settings.config = to_text(Json::object({{each.member, Json(on ? "on" : "off")}}));
    ControllerSettings& of_controller = manifest.controller_settings[each.controller];
    lay_over(of_controller, settings);
    of_controller = std::move(settings);
  }
}

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

/// Reads the file of a leader migration, if there is one.
void load_migration(LeaderElectionSettings& election, std::vector<Mistake>& out) {
  if (!election.enabled || !election.migrates) return;
  const std::string& file = election.migration_config;
  if (file.empty()) {
    election.migration = default_leader_migration();
    return;
  }
  LeaderMigrationResult loaded = load_leader_migration(file);
  election.migration = std::move(loaded.migration);
  out.insert(out.end(), loaded.mistakes.begin(), loaded.mistakes.end());
  if (!loaded.mistakes.empty()) return;
  if (Status trust = check_trust(file); !trust.ok()) out.push_back({file, 0, 0, trust.message()});
  if (election.migration.leader_name == election.name) {
    out.push_back({file, 0, 0,
                   "leaderName " + json_string(election.name) +
                       " is the host's own lease: it must be another one"});
  }
}

/// Reads the file with the values that labels may have, if there is one.
void load_labels(MetricSettings& metrics, std::vector<Mistake>& out) {
  if (metrics.allowed_labels_file.empty()) return;
  metrics.labels_of_file = load_allowed_labels(metrics.allowed_labels_file, out);
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
  result.settings.warnings = options.warnings;
  load_migration(result.settings.manifest.leader_election, result.mistakes);
  load_labels(result.settings.manifest.metrics, result.mistakes);
  const Manifest& merged = result.settings.manifest;
  for (const std::string& text :
       manifest_good ? check_feature_gates(merged.feature_gates) : std::vector<std::string>()) {
    result.mistakes.push_back({"", 0, 0, text});
  }
  for (std::string& text : gate_warnings(merged.feature_gates)) {
    result.settings.warnings.push_back(std::move(text));
  }
  for (std::string& text : check_serving(merged.serving, merged.authentication)) {
    result.mistakes.push_back({"", 0, 0, std::move(text)});
  }
  const std::string log = check_logging(merged.logging);
  if (manifest_good && !log.empty()) result.mistakes.push_back({"", 0, 0, log});
  const std::string rate = check_client(merged.client);
  if (manifest_good && !rate.empty()) result.mistakes.push_back({"", 0, 0, rate});
  const std::string rule = check_leader_election(merged.leader_election);
  if (manifest_good && !rule.empty()) result.mistakes.push_back({"", 0, 0, rule});
  return result;
}

}  // namespace davit::host
