#include "host/process/run_settings.hpp"

#include <optional>
#include <utility>

#include "host/config/connection_files.hpp"
#include "lib/base/file_trust.hpp"
#include "lib/base/json_text.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {
namespace {

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
      {"DRAPrioritizedList", "resourceclaim-controller", "prioritizedList"},
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

SettingsResult read_manifest(const std::string& path) {
  SettingsResult result;
  ManifestResult loaded = load_manifest(path);
  result.mistakes = std::move(loaded.mistakes);
  result.settings.manifest = std::move(loaded.manifest);
  result.settings.manifest_path = path;
  const Status trust = check_trust(path);
  if (!trust.ok() && result.ok()) result.mistakes.push_back({path, 0, 0, trust.message()});
  return result;
}

void check_settings(SettingsResult& result, ManifestState manifest) {
  Manifest& merged = result.settings.manifest;
  const auto mistake = [&](std::string text) {
    result.mistakes.push_back({"", 0, 0, std::move(text)});
  };
  load_migration(merged.leader_election, result.mistakes);
  load_labels(merged.metrics, result.mistakes);
  const bool is_good = manifest == ManifestState::kGood;
  if (is_good) {
    for (std::string& text : check_feature_gates(merged.feature_gates)) mistake(std::move(text));
  }
  for (std::string& text : gate_warnings(merged.feature_gates)) {
    result.settings.warnings.push_back(std::move(text));
  }
  for (std::string& text : check_serving(merged.serving, merged.authentication)) {
    mistake(std::move(text));
  }
  if (!is_good) return;
  for (std::string text : {check_logging(merged.logging), check_client(merged.client),
                           check_leader_election(merged.leader_election)}) {
    if (!text.empty()) mistake(std::move(text));
  }
}

SettingsResult load_settings(const std::string& path) {
  SettingsResult result = read_manifest(path);
  apply_gates(result.settings.manifest);
  check_settings(result, result.ok() ? ManifestState::kGood : ManifestState::kMistaken);
  return result;
}

Status check_files(const ConnectionConfig& connection, const Manifest& manifest,
                   const Logger& log) {
  const ServingSettings& serving = manifest.serving;
  warn_of_readable_secret("serving key", serving.key_file, log);
  for (const std::string& each : serving.named_pairs) {
    const std::optional<NamedFiles> pair = parse_named_files(each);
    if (pair) warn_of_readable_secret("serving key", pair->key_file, log);
  }
  return check_connection_files(connection, log);
}

KubeconfigOptions lookup_of(const std::string& kubeconfig) {
  KubeconfigOptions lookup;
  lookup.kubeconfig = kubeconfig;
  lookup.environment = process_environment();
  return lookup;
}

KubeconfigOptions lookup_of(const ClientSettings& client) {
  KubeconfigOptions lookup = lookup_of(client.kubeconfig);
  lookup.master = client.master;
  return lookup;
}

}  // namespace davit::host
