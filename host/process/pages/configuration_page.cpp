#include "host/process/pages/configuration_page.hpp"

#include <string>
#include <string_view>

#include "host/upstream/controllers.hpp"

namespace davit::host {
namespace {

/// A field whose value is that of a flag.
struct Field {
  std::string_view section;
  std::string_view name;
  std::string_view flag;
};

// In the order of upstream's document (k8s.io/kube-controller-manager/config/v1alpha1).
constexpr Field kFields[] = {
    {"KubeCloudShared", "UseServiceAccountCredentials", "use-service-account-credentials"},
    {"KubeCloudShared", "NodeMonitorPeriod", "node-monitor-period"},
    {"KubeCloudShared", "ClusterName", "cluster-name"},
    {"DaemonSetController", "ConcurrentDaemonSetSyncs", "concurrent-daemonset-syncs"},
    {"DeploymentController", "ConcurrentDeploymentSyncs", "concurrent-deployment-syncs"},
    {"StatefulSetController", "ConcurrentStatefulSetSyncs", "concurrent-statefulset-syncs"},
    {"EndpointController", "ConcurrentEndpointSyncs", "concurrent-endpoint-syncs"},
    {"EndpointController", "EndpointUpdatesBatchPeriod", "endpoint-updates-batch-period"},
    {"EndpointSliceController", "ConcurrentServiceEndpointSyncs",
     "concurrent-service-endpoint-syncs"},
    {"EndpointSliceController", "MaxEndpointsPerSlice", "max-endpoints-per-slice"},
    {"EndpointSliceController", "EndpointUpdatesBatchPeriod", "endpointslice-updates-batch-period"},
    {"EndpointSliceMirroringController", "MirroringConcurrentServiceEndpointSyncs",
     "mirroring-concurrent-service-endpoint-syncs"},
    {"EndpointSliceMirroringController", "MirroringMaxEndpointsPerSubset",
     "mirroring-max-endpoints-per-subset"},
    {"EndpointSliceMirroringController", "MirroringEndpointUpdatesBatchPeriod",
     "mirroring-endpointslice-updates-batch-period"},
    {"GarbageCollectorController", "EnableGarbageCollector", "enable-garbage-collector"},
    {"GarbageCollectorController", "ConcurrentGCSyncs", "concurrent-gc-syncs"},
    {"JobController", "ConcurrentJobSyncs", "concurrent-job-syncs"},
    {"CronJobController", "ConcurrentCronJobSyncs", "concurrent-cron-job-syncs"},
    {"LegacySATokenCleaner", "CleanUpPeriod", "legacy-service-account-token-clean-up-period"},
    {"NamespaceController", "NamespaceSyncPeriod", "namespace-sync-period"},
    {"NamespaceController", "ConcurrentNamespaceSyncs", "concurrent-namespace-syncs"},
    {"NodeLifecycleController", "NodeEvictionRate", "node-eviction-rate"},
    {"NodeLifecycleController", "SecondaryNodeEvictionRate", "secondary-node-eviction-rate"},
    {"NodeLifecycleController", "NodeStartupGracePeriod", "node-startup-grace-period"},
    {"NodeLifecycleController", "NodeMonitorGracePeriod", "node-monitor-grace-period"},
    {"NodeLifecycleController", "LargeClusterSizeThreshold", "large-cluster-size-threshold"},
    {"NodeLifecycleController", "UnhealthyZoneThreshold", "unhealthy-zone-threshold"},
    {"PodGCController", "TerminatedPodGCThreshold", "terminated-pod-gc-threshold"},
    {"ReplicaSetController", "ConcurrentRSSyncs", "concurrent-replicaset-syncs"},
    {"ReplicationController", "ConcurrentRCSyncs", "concurrent-rc-syncs"},
    {"ResourceQuotaController", "ResourceQuotaSyncPeriod", "resource-quota-sync-period"},
    {"ResourceQuotaController", "ConcurrentResourceQuotaSyncs", "concurrent-resource-quota-syncs"},
    {"SAController", "ServiceAccountKeyFile", "service-account-private-key-file"},
    {"SAController", "ConcurrentSATokenSyncs", "concurrent-serviceaccount-token-syncs"},
    {"SAController", "RootCAFile", "root-ca-file"},
    {"TTLAfterFinishedController", "ConcurrentTTLSyncs", "concurrent-ttl-after-finished-syncs"},
};

/// The list with the names of controllers instead of their aliases.
Json canonical_controllers(const Json& list) {
  Json out = Json::array();
  for (const Json& each : list.items()) {
    std::string_view name = each.text();
    const std::string_view minus = name.starts_with('-') ? "-" : "";
    name.remove_prefix(minus.size());
    const UpstreamController* const found = find_upstream_controller(name);
    out.push_back(std::string(minus) + std::string(found == nullptr ? name : found->name));
  }
  return out;
}

Json migration_of(const LeaderElectionSettings& election) {
  if (!election.migrates) {
    return Json::object({{"leaderName", ""}, {"resourceLock", ""}, {"controllerLeaders", Json()}});
  }
  Json leaders = Json::array();
  for (const auto& [controller, component] : election.migration.components) {
    leaders.push_back(Json::object({{"name", controller}, {"component", component}}));
  }
  return Json::object({{"leaderName", election.migration.leader_name},
                       {"resourceLock", "leases"},
                       {"controllerLeaders", leaders}});
}

Json generic_of(const SettingsInForce& settings, const FlagValues& flags) {
  const auto flag = [&flags](std::string_view name) { return flags.find(name)->second; };
  return Json::object(
      {{"Port", 0},
       {"Address", "0.0.0.0"},  // Belongs to a port that upstream no longer has.
       {"MinResyncPeriod", flag("min-resync-period")},
       {"ClientConnection", Json::object({{"kubeconfig", flag("kubeconfig")},
                                          {"acceptContentTypes", ""},
                                          {"contentType", flag("kube-api-content-type")},
                                          {"qps", flag("kube-api-qps")},
                                          {"burst", flag("kube-api-burst")}})},
       {"ControllerStartInterval", flag("controller-start-interval")},
       {"LeaderElection",
        Json::object({{"leaderElect", flag("leader-elect")},
                      {"leaseDuration", flag("leader-elect-lease-duration")},
                      {"renewDeadline", flag("leader-elect-renew-deadline")},
                      {"retryPeriod", flag("leader-elect-retry-period")},
                      {"resourceLock", flag("leader-elect-resource-lock")},
                      {"resourceName", flag("leader-elect-resource-name")},
                      {"resourceNamespace", flag("leader-elect-resource-namespace")}})},
       {"Controllers", canonical_controllers(flag("controllers"))},
       {"Debugging",
        Json::object({{"enableProfiling", false}, {"enableContentionProfiling", false}})},
       {"LeaderMigrationEnabled", flag("enable-leader-migration")},
       {"LeaderMigration", migration_of(settings.manifest.leader_election)}});
}

}  // namespace

Json configuration_page(const SettingsInForce& settings) {
  const FlagValues flags = upstream_flags_in_force(settings);
  Json document = Json::object({{"kind", "KubeControllerManagerConfiguration"},
                                {"apiVersion", "kubecontrollermanager.config.k8s.io/v1alpha1"},
                                {"Generic", generic_of(settings, flags)}});
  for (const Field& each : kFields) {
    document[each.section].set(each.name, flags.find(each.flag)->second);
  }
  return Json::object({{"kubecontrollermanager.config.k8s.io", document}});
}

}  // namespace davit::host
