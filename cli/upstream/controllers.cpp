#include "cli/upstream/controllers.hpp"

#include <algorithm>

namespace davit::host {
namespace {

constexpr UpstreamController kControllers[] = {
    {"bootstrap-signer-controller", "bootstrapsigner", ""},
    {"certificatesigningrequest-approving-controller", "csrapproving", ""},
    {"certificatesigningrequest-cleaner-controller", "csrcleaner", ""},
    {"certificatesigningrequest-signing-controller", "csrsigning", ""},
    {"cloud-node-lifecycle-controller", "cloud-node-lifecycle", ""},
    {"clusterrole-aggregation-controller", "clusterrole-aggregation", "clusterroleaggregation"},
    {"cronjob-controller", "cronjob", "cronjob"},
    {"daemonset-controller", "daemonset", "daemonset"},
    {"deployment-controller", "deployment", "deployment"},
    {"device-taint-eviction-controller", "", ""},
    {"disruption-controller", "disruption", "disruption"},
    {"endpoints-controller", "endpoint", "endpoint"},
    {"endpointslice-controller", "endpointslice", "endpoint"},
    {"endpointslice-mirroring-controller", "endpointslicemirroring", "endpointslicemirroring"},
    {"ephemeral-volume-controller", "ephemeral-volume", ""},
    {"garbage-collector-controller", "garbagecollector", "garbagecollector"},
    {"horizontal-pod-autoscaler-controller", "horizontalpodautoscaling", ""},
    {"job-controller", "job", "job"},
    {"kube-apiserver-serving-clustertrustbundle-publisher-controller", "", ""},
    {"legacy-serviceaccount-token-cleaner-controller", "legacy-service-account-token-cleaner",
     "serviceaccount"},
    {"namespace-controller", "namespace", "namespace"},
    {"node-ipam-controller", "nodeipam", ""},
    {"node-lifecycle-controller", "nodelifecycle", "nodelifecycle"},
    {"node-route-controller", "route", ""},
    {"persistentvolume-attach-detach-controller", "attachdetach", ""},
    {"persistentvolume-binder-controller", "persistentvolume-binder", ""},
    {"persistentvolume-expander-controller", "persistentvolume-expander", ""},
    {"persistentvolume-protection-controller", "pv-protection", ""},
    {"persistentvolumeclaim-protection-controller", "pvc-protection", ""},
    {"pod-garbage-collector-controller", "podgc", "podgc"},
    {"podcertificaterequest-cleaner-controller", "", ""},
    {"podgroup-protection-controller", "", ""},
    {"replicaset-controller", "replicaset", "replicaset"},
    {"replicationcontroller-controller", "replicationcontroller", "replicationcontroller"},
    {"resourceclaim-controller", "resource-claim-controller", ""},
    {"resourcepoolstatusrequest-controller", "", ""},
    {"resourcequota-controller", "resourcequota", "resourcequota"},
    {"root-ca-certificate-publisher-controller", "root-ca-cert-publisher", "serviceaccount"},
    {"selinux-warning-controller", "", ""},
    {"service-ca-certificate-publisher-controller", "", ""},
    {"service-cidr-controller", "", ""},
    {"service-lb-controller", "service", ""},
    {"serviceaccount-controller", "serviceaccount", "serviceaccount"},
    {"serviceaccount-token-controller", "serviceaccount-token", "serviceaccount"},
    {"statefulset-controller", "statefulset", "statefulset"},
    {"storage-version-migrator-controller", "svm", ""},
    {"storageversion-garbage-collector-controller", "storage-version-gc", ""},
    {"taint-eviction-controller", "", "nodelifecycle"},
    {"token-cleaner-controller", "tokencleaner", ""},
    {"ttl-after-finished-controller", "ttl-after-finished", "ttlafterfinished"},
    {"ttl-controller", "ttl", "ttl"},
    {"validatingadmissionpolicy-status-controller", "", ""},
    {"volumeattributesclass-protection-controller", "", ""},
};

}  // namespace

std::span<const UpstreamController> upstream_controllers() { return kControllers; }

const UpstreamController* find_upstream_controller(std::string_view name) {
  if (name.empty()) return nullptr;
  const auto found = std::ranges::find_if(kControllers, [&](const UpstreamController& each) {
    return each.name == name || each.alias == name;
  });
  return found == std::end(kControllers) ? nullptr : &*found;
}

}  // namespace davit::host
