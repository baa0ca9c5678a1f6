// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "host/upstream/flag_table.hpp"

namespace davit::host {
namespace {

using enum FlagUse;

// clang-format off
constexpr UpstreamFlag kDebugging[] = {
    {"contention-profiling", "", "", kNoEffect, "", "davit has no profile of lock contention."},
    {"profiling", "", "true", kTaken, "serving.profiling",
     "Without the flag davit serves no profiles. With it: /debug/pprof/profile."},
};

constexpr UpstreamFlag kLeaderMigration[] = {
    {"enable-leader-migration", "", "", kTaken, "leaderElection.enableLeaderMigration"},
    {"leader-migration-config", "string", "", kTaken, "leaderElection.leaderMigrationConfig",
     "The name of the component is that of the host's Lease."},
};

constexpr UpstreamFlag kGeneric[] = {
    {"allocate-node-cidrs", "", "", kTaken,
     "controllerSettings.node-ipam-controller.config.allocateNodeCIDRs"},
    {"cidr-allocator-type", "string", "RangeAllocator", kTaken,
     "controllerSettings.node-ipam-controller.config.cidrAllocatorType",
     "Values other than RangeAllocator are refused, as upstream."},
    {"cloud-config", "string", "", kNoEffect, "", "Upstream does not read it either."},
    {"cloud-provider", "string", "", kTaken, "",
     "The name of a provider, which is a plugin: controllerSettings.NAME.enabled is true then. The "
     "empty value and external enable none, as upstream."},
    {"cluster-cidr", "string", "", kTaken,
     "controllerSettings.node-ipam-controller.config.clusterCIDR,controllerSettings."
     "node-route-controller.config.clusterCIDR",
     "Only with --allocate-node-cidrs, as upstream, and for routes of a cloud."},
    {"cluster-name", "string", "kubernetes", kTaken,
     "controllerSettings.service-lb-controller.config.clusterName,controllerSettings."
     "node-route-controller.config.clusterName", "Only for the provider of a cloud."},
    {"configure-cloud-routes", "", "true", kTaken,
     "controllerSettings.node-route-controller.config.configureCloudRoutes",
     "Only with a provider of routes."},
    {"controller-shutdown-timeout", "duration", "10s", kTaken, "controllerShutdownTimeout"},
    {"controller-start-interval", "duration", "", kTaken, "controllerStartInterval"},
    {"controllers", "strings", "[*]", kTaken, "controllers",
     "Names of controllers that davit does not have get a warning."},
    {"emulated-version", "strings", "", kNoEffect, "", "davit behaves as v1.36."},
    {"external-cloud-volume-plugin", "string", "", kNoEffect, "", "davit links no cloud."},
    {"feature-gates", "colonSeparatedMultimapStringString", "", kTaken, "featureGates",
     "Gates without effect in davit get a warning; unknown ones are an error."},
    {"kube-api-burst", "int32", "30", kTaken, "client.burst", "0 means 10, as upstream."},
    {"kube-api-content-type", "string", "application/vnd.kubernetes.protobuf", kTaken,
     "client.contentType", "Only application/vnd.kubernetes.protobuf and application/json."},
    {"kube-api-qps", "float32", "20", kTaken, "client.qps",
     "0 means 5, and below 0 is no limit, as upstream."},
    {"leader-elect", "", "true", kTaken, "leaderElection.enabled"},
    {"leader-elect-lease-duration", "duration", "15s", kTaken, "leaderElection.leaseDuration",
     "At least 1s."},
    {"leader-elect-renew-deadline", "duration", "10s", kTaken, "leaderElection.renewDeadline"},
    {"leader-elect-resource-lock", "string", "leases", kTaken, "", "Only leases, as in v1.36."},
    {"leader-elect-resource-name", "string", "kube-controller-manager", kTaken,
     "leaderElection.name",
     "Without the flag davit takes the Lease davit. davit manifest from-flags writes upstream's."},
    {"leader-elect-resource-namespace", "string", "kube-system", kTaken,
     "leaderElection.namespace"},
    {"leader-elect-retry-period", "duration", "2s", kTaken, "leaderElection.retryPeriod"},
    {"min-compatibility-version", "strings", "", kNoEffect, "", "davit behaves as v1.36."},
    {"min-resync-period", "duration", "12h0m0s", kTaken, "client.minResyncPeriod",
     "Controllers get every object again after one to two times this, each informer at its own "
     "time. 0 is never; less than 1s counts as 1s."},
    {"node-monitor-period", "duration", "5s", kTaken,
     "controllerSettings.node-lifecycle-controller.config.nodeMonitorPeriod,controllerSettings."
     "cloud-node-lifecycle-controller.config.nodeMonitorPeriod"},
    {"route-reconciliation-period", "duration", "10s", kTaken,
     "controllerSettings.node-route-controller.config.routeReconciliationPeriod",
     "Less than 1s counts as 1s."},
    {"use-service-account-credentials", "", "", kTaken, "client.useServiceAccountCredentials"},
};

constexpr UpstreamFlag kServiceLb[] = {
    {"concurrent-service-syncs", "int32", "1", kTaken,
     "controllerSettings.service-lb-controller.workers", "", 1, 1000},
};

constexpr UpstreamFlag kSecureServing[] = {
    {"bind-address", "ip", "0.0.0.0", kTaken, "serving.bindAddress"},
    {"cert-dir", "string", "", kTaken, "serving.certDirectory"},
    {"disable-http2-serving", "", "", kNoEffect, "", "davit speaks HTTP/1.1."},
    {"http2-max-streams-per-connection", "int", "", kNoEffect, "", "davit speaks HTTP/1.1."},
    {"permit-address-sharing", "", "", kNoEffect, "",
     "The port can always be taken over from a closed connection."},
    {"permit-port-sharing", "", "", kTaken, "serving.permitPortSharing"},
    {"secure-port", "int", "10257", kTaken, "serving.securePort", "", 0, 65535},
    {"tls-cert-file", "string", "", kTaken, "serving.tlsCertFile"},
    {"tls-cipher-suites", "strings", "", kTaken, "serving.tlsCipherSuites"},
    {"tls-curve-preferences", "int32Slice", "[]", kTaken, "serving.tlsCurvePreferences",
     "Unknown numbers are refused. Those that the OpenSSL of the system lacks are left out."},
    {"tls-min-version", "string", "", kTaken, "serving.tlsMinVersion"},
    {"tls-private-key-file", "string", "", kTaken, "serving.tlsPrivateKeyFile"},
    {"tls-sni-cert-key", "namedCertKey", "[]", kTaken, "serving.tlsSNICertKey"},
};

constexpr UpstreamFlag kAuthentication[] = {
    {"authentication-kubeconfig", "string", "", kTaken, "authentication.kubeconfig"},
    {"authentication-skip-lookup", "", "", kTaken, "authentication.skipLookup"},
    {"authentication-token-webhook-cache-ttl", "duration", "10s", kTaken,
     "authentication.tokenCacheTTL"},
    {"authentication-tolerate-lookup-failure", "", "", kTaken,
     "authentication.tolerateLookupFailure"},
    {"client-ca-file", "string", "", kTaken, "authentication.clientCAFile"},
    {"requestheader-allowed-names", "strings", "", kTaken,
     "authentication.requestHeaderAllowedNames"},
    {"requestheader-client-ca-file", "string", "", kTaken,
     "authentication.requestHeaderClientCAFile"},
    {"requestheader-extra-headers-prefix", "strings", "[x-remote-extra-]", kTaken,
     "authentication.requestHeaderExtraHeadersPrefix"},
    {"requestheader-group-headers", "strings", "[x-remote-group]", kTaken,
     "authentication.requestHeaderGroupHeaders"},
    {"requestheader-uid-headers", "strings", "", kTaken, "authentication.requestHeaderUIDHeaders"},
    {"requestheader-username-headers", "strings", "[x-remote-user]", kTaken,
     "authentication.requestHeaderUsernameHeaders"},
};

constexpr UpstreamFlag kAuthorization[] = {
    {"authorization-always-allow-paths", "strings", "[/healthz,/readyz,/livez]", kTaken,
     "authorization.alwaysAllowPaths"},
    {"authorization-kubeconfig", "string", "", kTaken, "authorization.kubeconfig"},
    {"authorization-webhook-cache-authorized-ttl", "duration", "10s", kTaken,
     "authorization.authorizedCacheTTL"},
    {"authorization-webhook-cache-unauthorized-ttl", "duration", "10s", kTaken,
     "authorization.unauthorizedCacheTTL"},
};

constexpr UpstreamFlag kPersistentvolumeAttachDetach[] = {
    {"attach-detach-reconcile-sync-period", "duration", "1m0s", kTaken,
     "controllerSettings.persistentvolume-attach-detach-controller.config."
     "reconcilerSyncLoopPeriod"},
    {"disable-attach-detach-reconcile-sync", "", "", kTaken,
     "controllerSettings.persistentvolume-attach-detach-controller.config."
     "disableAttachDetachReconcilerSync"},
    {"disable-force-detach-on-timeout", "", "", kTaken,
     "controllerSettings.persistentvolume-attach-detach-controller.config."
     "disableForceDetachOnTimeout"},
};

constexpr UpstreamFlag kCertificatesigningrequestSigning[] = {
    {"cluster-signing-cert-file", "string", "", kTaken,
     "controllerSettings.certificatesigningrequest-signing-controller.config."
     "clusterSigningCertFile",
     "With --cluster-signing-key-file, for all signers. The files are read again when they change."
     ""},
    {"cluster-signing-duration", "duration", "8760h0m0s", kTaken,
     "controllerSettings.certificatesigningrequest-signing-controller.config."
     "clusterSigningDuration", "May be zero or negative, as upstream."},
    {"cluster-signing-key-file", "string", "", kTaken,
     "controllerSettings.certificatesigningrequest-signing-controller.config."
     "clusterSigningKeyFile"},
    {"cluster-signing-kube-apiserver-client-cert-file", "string", "", kTaken,
     "controllerSettings.certificatesigningrequest-signing-controller.config."
     "kubeAPIServerClientCertFile"},
    {"cluster-signing-kube-apiserver-client-key-file", "string", "", kTaken,
     "controllerSettings.certificatesigningrequest-signing-controller.config."
     "kubeAPIServerClientKeyFile"},
    {"cluster-signing-kubelet-client-cert-file", "string", "", kTaken,
     "controllerSettings.certificatesigningrequest-signing-controller.config."
     "kubeletClientCertFile"},
    {"cluster-signing-kubelet-client-key-file", "string", "", kTaken,
     "controllerSettings.certificatesigningrequest-signing-controller.config.kubeletClientKeyFile"},
    {"cluster-signing-kubelet-serving-cert-file", "string", "", kTaken,
     "controllerSettings.certificatesigningrequest-signing-controller.config."
     "kubeletServingCertFile"},
    {"cluster-signing-kubelet-serving-key-file", "string", "", kTaken,
     "controllerSettings.certificatesigningrequest-signing-controller.config."
     "kubeletServingKeyFile"},
    {"cluster-signing-legacy-unknown-cert-file", "string", "", kTaken,
     "controllerSettings.certificatesigningrequest-signing-controller.config."
     "legacyUnknownCertFile"},
    {"cluster-signing-legacy-unknown-key-file", "string", "", kTaken,
     "controllerSettings.certificatesigningrequest-signing-controller.config.legacyUnknownKeyFile"},
};

constexpr UpstreamFlag kDeployment[] = {
    {"concurrent-deployment-syncs", "int32", "5", kTaken,
     "controllerSettings.deployment-controller.workers", "", 1, 1000},
};

constexpr UpstreamFlag kDeviceTaintEviction[] = {
    {"concurrent-device-taint-eviction-syncs", "int32", "8", kTaken,
     "controllerSettings.device-taint-eviction-controller.workers", "", 1, 1000},
};

constexpr UpstreamFlag kResourceclaim[] = {
    {"concurrent-resourceclaim-syncs", "int32", "50", kTaken,
     "controllerSettings.resourceclaim-controller.workers", "", 1, 1000},
};

constexpr UpstreamFlag kStatefulset[] = {
    {"concurrent-statefulset-syncs", "int32", "5", kTaken,
     "controllerSettings.statefulset-controller.workers", "", 1, 1000},
};

constexpr UpstreamFlag kDaemonset[] = {
    {"concurrent-daemonset-syncs", "int32", "2", kTaken,
     "controllerSettings.daemonset-controller.workers", "", 1, 1000},
};

constexpr UpstreamFlag kEndpoints[] = {
    {"concurrent-endpoint-syncs", "int32", "5", kTaken,
     "controllerSettings.endpoints-controller.workers", "", 1, 1000},
    {"endpoint-updates-batch-period", "duration", "", kTaken,
     "controllerSettings.endpoints-controller.config.endpointUpdatesBatchPeriod"},
};

constexpr UpstreamFlag kEndpointslice[] = {
    {"concurrent-service-endpoint-syncs", "int32", "5", kTaken,
     "controllerSettings.endpointslice-controller.workers", "", 1, 50},
    {"endpointslice-updates-batch-period", "duration", "", kTaken,
     "controllerSettings.endpointslice-controller.config.endpointUpdatesBatchPeriod"},
    {"max-endpoints-per-slice", "int32", "100", kTaken,
     "controllerSettings.endpointslice-controller.config.maxEndpointsPerSlice", "", 1, 1000},
};

constexpr UpstreamFlag kEndpointsliceMirroring[] = {
    {"mirroring-concurrent-service-endpoint-syncs", "int32", "5", kTaken,
     "controllerSettings.endpointslice-mirroring-controller.workers", "", 1, 50},
    {"mirroring-endpointslice-updates-batch-period", "duration", "", kTaken,
     "controllerSettings.endpointslice-mirroring-controller.config."
     "mirroringEndpointsliceUpdatesBatchPeriod"},
    {"mirroring-max-endpoints-per-subset", "int32", "1000", kTaken,
     "controllerSettings.endpointslice-mirroring-controller.config.mirroringMaxEndpointsPerSubset",
     "", 1, 1000},
};

constexpr UpstreamFlag kEphemeralVolume[] = {
    {"concurrent-ephemeralvolume-syncs", "int32", "5", kTaken,
     "controllerSettings.ephemeral-volume-controller.workers", "", 1, 1000},
};

constexpr UpstreamFlag kGarbageCollector[] = {
    {"concurrent-gc-syncs", "int32", "20", kTaken,
     "controllerSettings.garbage-collector-controller.workers", "", 1, 1000},
    {"enable-garbage-collector", "", "true", kTaken,
     "controllerSettings.garbage-collector-controller.enabled",
     "true leaves the decision to --controllers."},
};

constexpr UpstreamFlag kHorizontalPodAutoscaler[] = {
    {"concurrent-horizontal-pod-autoscaler-syncs", "int32", "5", kTaken,
     "controllerSettings.horizontal-pod-autoscaler-controller.workers", "", 1, 1000},
    {"horizontal-pod-autoscaler-cpu-initialization-period", "duration", "5m0s", kTaken,
     "controllerSettings.horizontal-pod-autoscaler-controller.config."
     "horizontalPodAutoscalerCPUInitializationPeriod"},
    {"horizontal-pod-autoscaler-downscale-stabilization", "duration", "5m0s", kTaken,
     "controllerSettings.horizontal-pod-autoscaler-controller.config."
     "horizontalPodAutoscalerDownscaleStabilizationWindow"},
    {"horizontal-pod-autoscaler-initial-readiness-delay", "duration", "30s", kTaken,
     "controllerSettings.horizontal-pod-autoscaler-controller.config."
     "horizontalPodAutoscalerInitialReadinessDelay"},
    {"horizontal-pod-autoscaler-sync-period", "duration", "15s", kTaken,
     "controllerSettings.horizontal-pod-autoscaler-controller.config."
     "horizontalPodAutoscalerSyncPeriod"},
    {"horizontal-pod-autoscaler-tolerance", "float", "0.1", kTaken,
     "controllerSettings.horizontal-pod-autoscaler-controller.config."
     "horizontalPodAutoscalerTolerance"},
};

constexpr UpstreamFlag kJob[] = {
    {"concurrent-job-syncs", "int32", "5", kTaken, "controllerSettings.job-controller.workers", "",
     1, 1000},
};

constexpr UpstreamFlag kCronjob[] = {
    {"concurrent-cron-job-syncs", "int32", "5", kTaken,
     "controllerSettings.cronjob-controller.workers", "", 1, 1000},
};

constexpr UpstreamFlag kLegacyServiceaccountTokenCleaner[] = {
    {"legacy-service-account-token-clean-up-period", "duration", "8760h0m0s", kTaken,
     "controllerSettings.legacy-serviceaccount-token-cleaner-controller.config.cleanUpPeriod"},
};

constexpr UpstreamFlag kNamespace[] = {
    {"concurrent-namespace-syncs", "int32", "10", kTaken,
     "controllerSettings.namespace-controller.workers", "", 1, 1000},
    {"namespace-sync-period", "duration", "5m0s", kTaken,
     "controllerSettings.namespace-controller.config.namespaceSyncPeriod"},
};

constexpr UpstreamFlag kNodeIpam[] = {
    {"node-cidr-mask-size", "int32", "", kTaken,
     "controllerSettings.node-ipam-controller.config.nodeCIDRMaskSize"},
    {"node-cidr-mask-size-ipv4", "int32", "", kTaken,
     "controllerSettings.node-ipam-controller.config.nodeCIDRMaskSizeIPv4"},
    {"node-cidr-mask-size-ipv6", "int32", "", kTaken,
     "controllerSettings.node-ipam-controller.config.nodeCIDRMaskSizeIPv6"},
    {"service-cluster-ip-range", "string", "", kTaken,
     "controllerSettings.node-ipam-controller.config.serviceCIDR"},
};

constexpr UpstreamFlag kNodeLifecycle[] = {
    {"large-cluster-size-threshold", "int32", "50", kTaken,
     "controllerSettings.node-lifecycle-controller.config.largeClusterSizeThreshold", "", 0},
    {"node-eviction-rate", "float32", "0.1", kTaken,
     "controllerSettings.node-lifecycle-controller.config.nodeEvictionRate"},
    {"node-monitor-grace-period", "duration", "50s", kTaken,
     "controllerSettings.node-lifecycle-controller.config.nodeMonitorGracePeriod"},
    {"node-startup-grace-period", "duration", "1m0s", kTaken,
     "controllerSettings.node-lifecycle-controller.config.nodeStartupGracePeriod"},
    {"secondary-node-eviction-rate", "float32", "0.01", kTaken,
     "controllerSettings.node-lifecycle-controller.config.secondaryNodeEvictionRate"},
    {"unhealthy-zone-threshold", "float32", "0.55", kTaken,
     "controllerSettings.node-lifecycle-controller.config.unhealthyZoneThreshold"},
};

constexpr UpstreamFlag kPersistentvolumeBinder[] = {
    {"enable-dynamic-provisioning", "", "true", kTaken,
     "controllerSettings.persistentvolume-binder-controller.config.enableDynamicProvisioning"},
    {"enable-hostpath-provisioner", "", "", kNoEffect, "",
     "davit makes and deletes no directories on the machine that it runs on."},
    {"flex-volume-plugin-dir", "string", "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
     kNoEffect, "", "davit runs no FlexVolume drivers."},
    {"pv-recycler-increment-timeout-nfs", "int32", "30", kTaken,
     "controllerSettings.persistentvolume-binder-controller.config.recyclerIncrementTimeoutNFS"},
    {"pv-recycler-minimum-timeout-hostpath", "int32", "60", kTaken,
     "controllerSettings.persistentvolume-binder-controller.config.recyclerMinimumTimeoutHostPath"},
    {"pv-recycler-minimum-timeout-nfs", "int32", "300", kTaken,
     "controllerSettings.persistentvolume-binder-controller.config.recyclerMinimumTimeoutNFS"},
    {"pv-recycler-pod-template-filepath-hostpath", "string", "", kNoEffect, "",
     "davit takes the pod in the manifest, as recyclerPodTemplateHostPath."},
    {"pv-recycler-pod-template-filepath-nfs", "string", "", kNoEffect, "",
     "davit takes the pod in the manifest, as recyclerPodTemplateNFS."},
    {"pv-recycler-timeout-increment-hostpath", "int32", "30", kTaken,
     "controllerSettings.persistentvolume-binder-controller.config."
     "recyclerTimeoutIncrementHostPath"},
    {"pvclaimbinder-sync-period", "duration", "15s", kTaken,
     "controllerSettings.persistentvolume-binder-controller.config.pvClaimBinderSyncPeriod",
     "Less than 1s counts as 1s."},
};

constexpr UpstreamFlag kPodGarbageCollector[] = {
    {"terminated-pod-gc-threshold", "int32", "12500", kTaken,
     "controllerSettings.pod-garbage-collector-controller.config.terminatedPodGCThreshold"},
};

constexpr UpstreamFlag kReplicaset[] = {
    {"concurrent-replicaset-syncs", "int32", "5", kTaken,
     "controllerSettings.replicaset-controller.workers", "", 1, 1000},
};

constexpr UpstreamFlag kReplicationcontroller[] = {
    {"concurrent-rc-syncs", "int32", "5", kTaken,
     "controllerSettings.replicationcontroller-controller.workers", "", 1, 1000},
};

constexpr UpstreamFlag kResourcequota[] = {
    {"concurrent-resource-quota-syncs", "int32", "5", kTaken,
     "controllerSettings.resourcequota-controller.workers", "", 1, 1000},
    {"resource-quota-sync-period", "duration", "5m0s", kTaken,
     "controllerSettings.resourcequota-controller.config.resourceQuotaSyncPeriod"},
};

constexpr UpstreamFlag kServiceaccount[] = {
    {"concurrent-serviceaccount-token-syncs", "int32", "5", kTaken,
     "controllerSettings.serviceaccount-token-controller.workers", "", 1, 1000},
    {"root-ca-file", "string", "", kTaken,
     "controllerSettings.serviceaccount-token-controller.config.rootCAFile,controllerSettings."
     "root-ca-certificate-publisher-controller.config.rootCAFile,controllerSettings."
     "kube-apiserver-serving-clustertrustbundle-publisher-controller.config.rootCAFile",
     "Without the flag these controllers take the CA of the kubeconfig."},
    {"service-account-private-key-file", "string", "", kTaken,
     "controllerSettings.serviceaccount-token-controller.config.serviceAccountKeyFile",
     "With a file --controllers cannot switch the controller off, as upstream."},
};

constexpr UpstreamFlag kTtlAfterFinished[] = {
    {"concurrent-ttl-after-finished-syncs", "int32", "5", kTaken,
     "controllerSettings.ttl-after-finished-controller.workers", "", 1, 1000},
};

constexpr UpstreamFlag kValidatingadmissionpolicyStatus[] = {
    {"concurrent-validating-admission-policy-status-syncs", "int32", "5", kTaken,
     "controllerSettings.validatingadmissionpolicy-status-controller.workers", "", 1, 1000},
};

constexpr UpstreamFlag kMetrics[] = {
    {"allow-metric-labels", "stringToString", "[]", kTaken, "metrics.allowedLabels",
     "metric,label=v1,v2: other values of that label become unexpected. Applies to plugins' "
     "metrics as well."},
    {"allow-metric-labels-manifest", "string", "", kTaken, "metrics.allowedLabelsFile",
     "A YAML mapping of the same, at the top or below allowListMapping. Not used with "
     "--allow-metric-labels, as upstream."},
    {"disabled-metrics", "strings", "", kTaken, "metrics.disabled",
     "Names of metrics to hide, including those of plugins."},
    {"show-hidden-metrics-for-version", "string", "", kTaken, "",
     "davit hides no metrics, so all are shown without the flag."},
};

constexpr UpstreamFlag kLogs[] = {
    {"log-flush-frequency", "duration", "5s", kNoEffect, "", "davit writes each line at once."},
    {"log-json-info-buffer-size", "quantity", "", kNoEffect, "",
     "davit writes each line at once, to stderr."},
    {"log-json-split-stream", "", "", kNoEffect, "", "davit writes each line at once, to stderr."},
    {"log-text-info-buffer-size", "quantity", "", kNoEffect, "",
     "davit writes each line at once, to stderr."},
    {"log-text-split-stream", "", "", kNoEffect, "", "davit writes each line at once, to stderr."},
    {"logging-format", "string", "text", kTaken, "logging.format"},
    {"v", "Level", "", kTaken, "logging.verbosity", "From 0 to 10."},
    {"vmodule", "pattern=N,...", "", kTaken, "logging.vmodule",
     "A pattern fits the name of a logger, which stands where upstream has the source file: "
     "informer, deployment-controller."},
};

constexpr UpstreamFlag kMisc[] = {
    {"kubeconfig", "string", "", kTaken, "client.kubeconfig",
     "Without the flag also $KUBECONFIG, where there is no identity of a pod."},
    {"master", "string", "", kTaken, "client.master"},
    {"unsupported-kube-api-over-localhost", "", "", kNoEffect, "",
     "davit connects to the server of its kubeconfig."},
};

constexpr UpstreamFlag kGlobal[] = {
    {"help", "", "", kTaken, "", "Prints the help of the command."},
    {"version", "version[=true]", "", kTaken, "",
     "Prints the version of davit; raw, all that is known of the build. Another version cannot be "
     "reported."},
};

constexpr UpstreamFlag kRemoved[] = {
    {"pod-eviction-timeout", "duration", "5m0s", kTaken,
     "controllerSettings.node-lifecycle-controller.config.podEvictionTimeout",
     "Until v1.26; counts with --enable-taint-manager=false."},
    {"enable-taint-manager", "", "true", kTaken,
     "!controllerSettings.node-lifecycle-controller.config.legacyEviction", "Until v1.26."},
    {"port", "int", "0", kNoEffect, "", "Until v1.23. In `davit run`, --port is a flag of davit."},
    {"address", "ip", "", kNoEffect, "", "Until v1.23, of the insecure port."},
    {"node-sync-period", "duration", "0s", kNoEffect, "", "Upstream does not read it either."},
    {"allow-untagged-cloud", "", "", kNoEffect, "", "davit links no cloud."},
    {"experimental-cluster-signing-duration", "duration", "8760h0m0s", kTaken,
     "controllerSettings.certificatesigningrequest-signing-controller.config."
     "clusterSigningDuration", "Until v1.24; --cluster-signing-duration now."},
    {"horizontal-pod-autoscaler-use-rest-clients", "", "true", kNoEffect, "",
     "Autoscalers always ask the metrics APIs."},
    {"register-retry-count", "int32", "10", kNoEffect, "", "Upstream does not read it either."},
    {"deleting-pods-qps", "float32", "0.1", kNoEffect, "", "Upstream does not read it either."},
    {"deleting-pods-burst", "int32", "0", kNoEffect, "", "Upstream does not read it either."},
    {"logtostderr", "", "true", kNoEffect, "", "davit writes each line at once, to stderr."},
    {"alsologtostderr", "", "", kNoEffect, "", "davit writes each line at once, to stderr."},
    {"log-dir", "string", "", kNoEffect, "", "davit writes each line at once, to stderr."},
    {"log-file", "string", "", kNoEffect, "", "davit writes each line at once, to stderr."},
    {"log-file-max-size", "int", "1800", kNoEffect, "",
     "davit writes each line at once, to stderr."},
    {"stderrthreshold", "string", "2", kNoEffect, "", "davit writes each line at once, to stderr."},
    {"one-output", "", "", kNoEffect, "", "davit writes each line at once, to stderr."},
    {"skip-headers", "", "", kNoEffect, "", "davit writes each line at once, to stderr."},
    {"skip-log-headers", "", "", kNoEffect, "", "davit writes each line at once, to stderr."},
    {"add-dir-header", "", "", kNoEffect, "", "davit writes each line at once, to stderr."},
    {"log-backtrace-at", "string", "", kNoEffect, "", "davit writes each line at once, to stderr."},
};

constexpr FlagGroup kGroups[] = {
    {"Debugging flags", kDebugging},
    {"Leader-migration flags", kLeaderMigration},
    {"Generic flags", kGeneric},
    {"Service-lb-controller flags", kServiceLb},
    {"Secure serving flags", kSecureServing},
    {"Authentication flags", kAuthentication},
    {"Authorization flags", kAuthorization},
    {"Persistentvolume-attach-detach-controller flags", kPersistentvolumeAttachDetach},
    {"Certificatesigningrequest-signing-controller flags", kCertificatesigningrequestSigning},
    {"Deployment-controller flags", kDeployment},
    {"Device-taint-eviction-controller flags", kDeviceTaintEviction},
    {"Resourceclaim-controller flags", kResourceclaim},
    {"Statefulset-controller flags", kStatefulset},
    {"Daemonset-controller flags", kDaemonset},
    {"Endpoints-controller flags", kEndpoints},
    {"Endpointslice-controller flags", kEndpointslice},
    {"Endpointslice-mirroring-controller flags", kEndpointsliceMirroring},
    {"Ephemeral-volume-controller flags", kEphemeralVolume},
    {"Garbage-collector-controller flags", kGarbageCollector},
    {"Horizontal-pod-autoscaler-controller flags", kHorizontalPodAutoscaler},
    {"Job-controller flags", kJob},
    {"Cronjob-controller flags", kCronjob},
    {"Legacy-serviceaccount-token-cleaner-controller flags", kLegacyServiceaccountTokenCleaner},
    {"Namespace-controller flags", kNamespace},
    {"Node-ipam-controller flags", kNodeIpam},
    {"Node-lifecycle-controller flags", kNodeLifecycle},
    {"Persistentvolume-binder-controller flags", kPersistentvolumeBinder},
    {"Pod-garbage-collector-controller flags", kPodGarbageCollector},
    {"Replicaset-controller flags", kReplicaset},
    {"Replicationcontroller-controller flags", kReplicationcontroller},
    {"Resourcequota-controller flags", kResourcequota},
    {"Serviceaccount-controller flags", kServiceaccount},
    {"Ttl-after-finished-controller flags", kTtlAfterFinished},
    {"Validatingadmissionpolicy-status-controller flags", kValidatingadmissionpolicyStatus},
    {"Metrics flags", kMetrics},
    {"Logs flags", kLogs},
    {"Misc flags", kMisc},
    {"Global flags", kGlobal},
    {kRemovedFlags, kRemoved},
};
// clang-format on

}  // namespace

std::span<const FlagGroup> upstream_flag_groups() { return kGroups; }

}  // namespace davit::host
