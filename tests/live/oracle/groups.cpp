#include "tests/live/oracle/groups.hpp"

#include "tests/live/support/control_plane.hpp"

namespace davit::oracle {

namespace {

/// Three times as long as nodes take between two heartbeats.
constexpr char kNodeGrace[] = "30s";
/// From this release on a controller of its own evicts pods from tainted nodes.
constexpr int kMinorOfTaintEviction = 29;

/// With the default rate events trail minutes behind.
std::vector<std::string> controller_flags() {
  return {"--kube-api-qps=500", "--kube-api-burst=1000"};
}

/// The node lifecycle controller as in original_flags().
std::string manifest() {
  return "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\nplugins:\n- name: statefulset\n"
         "- name: cronjob\n- name: endpointslicemirroring\n- name: daemonset\n- name: "
         "deployment\n- name: replicaset\n- name: "
         "endpoint\n- name: "
         "garbagecollector\n"
         "- name: namespace\n- name: disruption\n- name: resourcequota\n- name: ttl\n- name: "
         "clusterroleaggregation\n"
         "- name: job\n- name: podgc\n- name: replicationcontroller\n- name: ttlafterfinished\n- "
         "name: "
         "nodelifecycle\n"
         "  controllers:\n    node-lifecycle-controller:\n      config:\n"
         "        nodeMonitorPeriod: 1s\n        nodeEvictionRate: 10\n"
         "        largeClusterSizeThreshold: 5\n        secondaryNodeEvictionRate: 0.001\n"
         "        nodeMonitorGracePeriod: " +
         std::string(kNodeGrace) + '\n';
}

/// Whether the group has the controllers of volumes.
bool has_volumes(IsolationGroup isolation) {
  return isolation == IsolationGroup::kVolumes || isolation == IsolationGroup::kLost;
}

/// Whether the group has the controllers of few_controllers() and no others.
bool has_few(IsolationGroup isolation) {
  return isolation == IsolationGroup::kMetrics || isolation == IsolationGroup::kNodeIpam ||
         isolation == IsolationGroup::kDevices || has_volumes(isolation);
}

/// The names are those that both programs know. The quotas' controller shows that all of them work.
std::string few_controllers(IsolationGroup isolation, Deletion deletion) {
  std::string out = "resourcequota-controller";
  if (isolation == IsolationGroup::kMetrics) out += ",horizontal-pod-autoscaler-controller";
  if (isolation == IsolationGroup::kNodeIpam) out += ",node-ipam-controller";
  if (isolation == IsolationGroup::kDevices)
    out += ",resourceclaim-controller,device-taint-eviction-controller";
  if (has_volumes(isolation)) {
    out +=
        ",persistentvolume-binder-controller,persistentvolume-expander-controller"
        ",persistentvolume-attach-detach-controller,persistentvolumeclaim-protection-controller"
        ",persistentvolume-protection-controller,volumeattributesclass-protection-controller"
        ",ephemeral-volume-controller,service-cidr-controller"
        ",validatingadmissionpolicy-status-controller";
  }
  if (isolation == IsolationGroup::kVolumes) {
    out +=
        ",certificatesigningrequest-approving-controller,certificatesigningrequest-signing-"
        "controller"
        ",certificatesigningrequest-cleaner-controller,bootstrap-signer-controller"
        ",token-cleaner-controller,storageversion-garbage-collector-controller"
        ",storage-version-migrator-controller,selinux-warning-controller";
  }
  if (deletion == Deletion::kByControllers)
    out += ",garbage-collector-controller,namespace-controller";
  return out;
}

/// Whether the node lifecycle controller runs for scenarios of this group.
bool has_node_life(IsolationGroup isolation) {
  return isolation != IsolationGroup::kShared && isolation != IsolationGroup::kAccounts &&
         !has_few(isolation);
}

/// Longer than a rest is quiet: a claim that waits gets an Event in each pass.
constexpr char kBinderPeriod[] = "10s";
/// Attachments that went away are missed so soon.
constexpr char kVerificationPeriod[] = "2s";

/// The pod that empties a volume. Nothing runs it, so the scenarios decide how it ends.
constexpr char kRecycler[] = DAVIT_ORACLE "/recycler.json";

/// So soon davit takes volumes from lost nodes.
constexpr char kForceAfter[] = "5s";

/// The CA that signs certificates.
constexpr char kSigningCertificate[] = DAVIT_ORACLE "/signing_ca.crt";
constexpr char kSigningKey[] = DAVIT_ORACLE "/signing_ca.key";

std::string cluster_manifest() {
  return std::string(
             "- name: bootstrap\n- name: selinuxwarning\n- name: certificates\n  controllers:\n"
             "    certificatesigningrequest-signing-controller:\n      config:\n"
             "        clusterSigningCertFile: ") +
         kSigningCertificate + "\n        clusterSigningKeyFile: " + kSigningKey +
         "\n- name: storageversion\n  controllers:\n"
         "    storageversion-garbage-collector-controller:\n      config:\n"
         "        storageVersionAPI: \"on\"\n"
         "    storage-version-migrator-controller:\n      config:\n"
         "        storageVersionMigrator: \"on\"\n";
}

/// Ends with options of the attach/detach controller.
std::string volumes_manifest() {
  const std::string recycler = live::read_file(kRecycler);
  return std::string(
             "- name: admissionpolicy\n- name: servicecidr\n- name: volumeprotection\n- name: "
             "ephemeralvolume\n- name: "
             "volumebinder\n"
             "  controllers:\n    persistentvolume-binder-controller:\n      config:\n"
             "        pvClaimBinderSyncPeriod: ") +
         kBinderPeriod + "\n        recyclerPodTemplateHostPath: " + recycler +
         "        recyclerPodTemplateNFS: " + recycler +
         "- name: attachdetach\n  controllers:\n"
         "    persistentvolume-attach-detach-controller:\n      config:\n"
         "        reconcilerSyncLoopPeriod: " +
         kVerificationPeriod + '\n';
}

/// The autoscaler is this quick: no scenario waits for the defaults.
constexpr char kAutoscalerPeriod[] = "2s";
constexpr char kAutoscalerWindow[] = "1s";

std::string autoscaler_manifest() {
  return std::string(
             "- name: podautoscaler\n  controllers:\n"
             "    horizontal-pod-autoscaler-controller:\n      config:\n"
             "        horizontalPodAutoscalerSyncPeriod: ") +
         kAutoscalerPeriod +
         "\n        horizontalPodAutoscalerDownscaleStabilizationWindow: " + kAutoscalerWindow +
         '\n';
}

/// Unused tokens are cleaned up whatever their age.
constexpr char kCleanUpPeriod[] = "1ms";

std::string accounts_manifest(const AccountFiles& files) {
  return "- name: serviceaccount\n  controllers:\n    serviceaccount-token-controller:\n"
         "      config:\n        serviceAccountKeyFile: " +
         files.key + "\n        rootCAFile: " + files.root_ca +
         "\n    root-ca-certificate-publisher-controller:\n      config:\n        rootCAFile: " +
         files.root_ca +
         "\n    legacy-serviceaccount-token-cleaner-controller:\n      config:\n"
         "        cleanUpPeriod: " +
         kCleanUpPeriod + '\n';
}

/// Rules that taint devices are behind a gate.
std::string devices_manifest() {
  return "- name: resourceclaim\n- name: devicetaint\n  controllers:\n"
         "    device-taint-eviction-controller:\n      config:\n"
         "        deviceTaintRules: \"on\"\n";
}

/// davit's settings for the flags.
std::string manifest_from(const std::vector<std::string>& flags) {
  std::vector<std::string> argv = {DAVIT_PROGRAM, "manifest", "from-flags", "--",
                                   "kube-controller-manager"};
  argv.insert(argv.end(), flags.begin(), flags.end());
  const live::Outcome said = live::run(argv);
  if (said.code != 0) live::give_up("manifest from-flags: " + said.out + said.err);
  return said.out +
         "plugins:\n- name: nodeipam\n- name: resourcequota\n- name: garbagecollector\n"
         "- name: namespace\n";
}

std::string manifest_of(const Group& group, const AccountFiles& accounts) {
  switch (group.isolation) {
    case IsolationGroup::kAccounts:
      return manifest() + accounts_manifest(accounts);
    case IsolationGroup::kMetrics:
      return manifest() + autoscaler_manifest();
    case IsolationGroup::kVolumes:
      return manifest() + cluster_manifest() + volumes_manifest();
    case IsolationGroup::kLost:
      return manifest() + volumes_manifest() + "        forceDetachAfter: " + kForceAfter + '\n' +
             (group.flags.empty() ? "" : "        disableForceDetachOnTimeout: true\n");
    case IsolationGroup::kNodeIpam:
      return manifest_from(group.flags);
    case IsolationGroup::kDevices:
      return manifest() + devices_manifest();
    case IsolationGroup::kShared:
    case IsolationGroup::kNodes:
    case IsolationGroup::kAlone:
    case IsolationGroup::kPodGc:
      return manifest();
  }
  return "";
}

}  // namespace

// Busy machines delay heartbeats, so nodes are looked at in isolation groups of their own only.
std::vector<std::string> davit_flags(const Group& group, Deletion deletion,
                                     const std::filesystem::path& scratch,
                                     const AccountFiles& accounts) {
  const IsolationGroup isolation = group.isolation;
  std::vector<std::string> out = controller_flags();
  // On a busy machine a server may be silent for longer than the default, ten seconds.
  out.insert(out.end(),
             {"--leader-elect-lease-duration=120s", "--leader-elect-renew-deadline=100s"});
  const std::filesystem::path file = scratch / "davit.yaml";
  live::write_file(file, manifest_of(group, accounts));
  out.push_back("--manifest=" + file.string());
  if (has_few(isolation)) {
    out.push_back("--controllers=" + few_controllers(isolation, deletion));
    return out;
  }
  std::string controllers = "--controllers=*";
  if (!has_node_life(isolation)) controllers += ",-node-lifecycle-controller";
  if (isolation != IsolationGroup::kPodGc) controllers += ",-pod-garbage-collector-controller";
  if (deletion == Deletion::kByServer) {
    controllers += ",-garbage-collector-controller,-namespace-controller";
  } else if (live::server_minor() < kMinorOfSlices) {
    controllers += ",-disruption-controller";
  }
  out.push_back(std::move(controllers));
  return out;
}

std::string original_controllers(IsolationGroup isolation, Deletion deletion) {
  if (has_few(isolation)) return few_controllers(isolation, deletion);
  std::string names =
      "daemonset,deployment,job,replicaset,replicationcontroller,resourcequota,statefulset,"
      "endpoint,ttl,"
      "clusterrole-aggregation,ttl-after-finished";
  if (deletion == Deletion::kByControllers) names += ",garbagecollector,namespace";
  if (live::server_minor() >= kMinorOfSlices)
    names += ",endpointslice,endpointslicemirroring,disruption,cronjob";
  if (isolation == IsolationGroup::kAccounts) {
    return names + ",serviceaccount,root-ca-cert-publisher,legacy-service-account-token-cleaner";
  }
  if (isolation == IsolationGroup::kShared) return names;
  names += ",nodelifecycle";
  if (isolation == IsolationGroup::kPodGc) names += ",podgc";
  if (live::server_minor() >= kMinorOfTaintEviction) names += ",taint-eviction-controller";
  return names;
}

// The node lifecycle controller as in manifest().
std::vector<std::string> original_flags(const Group& group, const AccountFiles& accounts) {
  const IsolationGroup isolation = group.isolation;
  std::vector<std::string> flags = controller_flags();
  flags.insert(flags.end(), group.flags.begin(), group.flags.end());
  if (isolation == IsolationGroup::kAccounts) {
    flags.insert(
        flags.end(),
        {"--service-account-private-key-file=" + accounts.key, "--root-ca-file=" + accounts.root_ca,
         std::string("--legacy-service-account-token-clean-up-period=") + kCleanUpPeriod});
    return flags;
  }
  if (isolation == IsolationGroup::kMetrics) {
    flags.push_back(std::string("--horizontal-pod-autoscaler-sync-period=") + kAutoscalerPeriod);
    flags.push_back(std::string("--horizontal-pod-autoscaler-downscale-stabilization=") +
                    kAutoscalerWindow);
    return flags;
  }
  if (isolation == IsolationGroup::kVolumes) {
    flags.push_back(std::string("--cluster-signing-cert-file=") + kSigningCertificate);
    flags.push_back(std::string("--cluster-signing-key-file=") + kSigningKey);
    flags.push_back(std::string("--feature-gates=") + kStorageGates);
  }
  if (isolation == IsolationGroup::kDevices) {
    flags.push_back(std::string("--feature-gates=") + kRulesGate);
  }
  if (has_volumes(isolation)) {
    flags.push_back(std::string("--pvclaimbinder-sync-period=") + kBinderPeriod);
    for (const char* each : {"hostpath=", "nfs="}) {
      flags.push_back(std::string("--pv-recycler-pod-template-filepath-") + each + kRecycler);
    }
    flags.push_back(std::string("--attach-detach-reconcile-sync-period=") + kVerificationPeriod);
  }
  if (!has_node_life(isolation)) return flags;
  flags.insert(flags.end(),
               {"--node-monitor-period=1s", "--node-eviction-rate=10",
                "--large-cluster-size-threshold=5", "--secondary-node-eviction-rate=0.001",
                std::string("--node-monitor-grace-period=") + kNodeGrace});
  return flags;
}

}  // namespace davit::oracle
