// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "host/upstream/controllers.hpp"

namespace davit::host {
namespace {

using enum UpstreamController::Runs;

// clang-format off
constexpr UpstreamController kControllers[] = {
    {"bootstrap-signer-controller", "bootstrapsigner", "bootstrap", kIfNamed},
    {"certificatesigningrequest-approving-controller", "csrapproving", "certificates"},
    {"certificatesigningrequest-cleaner-controller", "csrcleaner", "certificates"},
    {"certificatesigningrequest-signing-controller", "csrsigning", "certificates"},
    {"cloud-node-lifecycle-controller", "cloud-node-lifecycle", "cloud"},
    {"clusterrole-aggregation-controller", "clusterrole-aggregation", "clusterroleaggregation"},
    {"cronjob-controller", "cronjob", "cronjob"},
    {"daemonset-controller", "daemonset", "daemonset"},
    {"deployment-controller", "deployment", "deployment"},
    {"device-taint-eviction-controller", "", "devicetaint"},
    {"disruption-controller", "disruption", "disruption"},
    {"endpoints-controller", "endpoint", "endpoint"},
    {"endpointslice-controller", "endpointslice", "endpoint"},
    {"endpointslice-mirroring-controller", "endpointslicemirroring", "endpointslicemirroring"},
    {"ephemeral-volume-controller", "ephemeral-volume", "ephemeralvolume"},
    {"garbage-collector-controller", "garbagecollector", "garbagecollector"},
    {"horizontal-pod-autoscaler-controller", "horizontalpodautoscaling", "podautoscaler"},
    {"job-controller", "job", "job"},
    {"kube-apiserver-serving-clustertrustbundle-publisher-controller", "", "certificates"},
    {"legacy-serviceaccount-token-cleaner-controller", "legacy-service-account-token-cleaner",
     "serviceaccount"},
    {"namespace-controller", "namespace", "namespace"},
    {"node-ipam-controller", "nodeipam", "nodeipam"},
    {"node-lifecycle-controller", "nodelifecycle", "nodelifecycle"},
    {"node-route-controller", "route", "cloud"},
    {"persistentvolume-attach-detach-controller", "attachdetach", "attachdetach"},
    {"persistentvolume-binder-controller", "persistentvolume-binder", "volumebinder"},
    {"persistentvolume-expander-controller", "persistentvolume-expander", "volumebinder"},
    {"persistentvolume-protection-controller", "pv-protection", "volumeprotection"},
    {"persistentvolumeclaim-protection-controller", "pvc-protection", "volumeprotection"},
    {"pod-garbage-collector-controller", "podgc", "podgc"},
    {"podcertificaterequest-cleaner-controller", "", "certificates"},
    {"podgroup-protection-controller", "", "resourceclaim"},
    {"replicaset-controller", "replicaset", "replicaset"},
    {"replicationcontroller-controller", "replicationcontroller", "replicationcontroller"},
    {"resourceclaim-controller", "resource-claim-controller", "resourceclaim"},
    {"resourcepoolstatusrequest-controller", "", "resourceclaim"},
    {"resourcequota-controller", "resourcequota", "resourcequota"},
    {"root-ca-certificate-publisher-controller", "root-ca-cert-publisher", "serviceaccount"},
    {"selinux-warning-controller", "", "selinuxwarning", kIfNamed},
    {"service-cidr-controller", "", "servicecidr"},
    {"service-lb-controller", "service", "cloud"},
    {"serviceaccount-controller", "serviceaccount", "serviceaccount"},
    {"serviceaccount-token-controller", "serviceaccount-token", "serviceaccount"},
    {"statefulset-controller", "statefulset", "statefulset"},
    {"storage-version-migrator-controller", "svm", "storageversion"},
    {"storageversion-garbage-collector-controller", "storage-version-gc", "storageversion"},
    {"taint-eviction-controller", "", "nodelifecycle"},
    {"token-cleaner-controller", "tokencleaner", "bootstrap", kIfNamed},
    {"ttl-after-finished-controller", "ttl-after-finished", "ttlafterfinished"},
    {"ttl-controller", "ttl", "ttl"},
    {"validatingadmissionpolicy-status-controller", "", "admissionpolicy"},
    {"volumeattributesclass-protection-controller", "", "volumeprotection"},
};
// clang-format on

}  // namespace

std::span<const UpstreamController> upstream_controllers() { return kControllers; }

}  // namespace davit::host
