// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/packages.hpp"

#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

// clang-format off
constexpr Package kPackages[] = {
    {"admissionregistration.v1", "admissionregistration.k8s.io/v1",
     "io.k8s.api.admissionregistration.v1", admission_registration_fields},
    {"apiextensions.v1", "apiextensions.k8s.io/v1",
     "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1", api_extensions_fields},
    {"apiregistration.v1", "apiregistration.k8s.io/v1",
     "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1", api_registration_fields},
    {"apps.v1", "apps/v1",
     "io.k8s.api.apps.v1", apps_fields},
    {"authentication.v1", "authentication.k8s.io/v1",
     "io.k8s.api.authentication.v1", authentication_fields},
    {"authorization.v1", "authorization.k8s.io/v1",
     "io.k8s.api.authorization.v1", authorization_fields},
    {"autoscaling.v1", "autoscaling/v1",
     "io.k8s.api.autoscaling.v1", autoscaling_fields},
    {"autoscaling.v2", "autoscaling/v2",
     "io.k8s.api.autoscaling.v2", autoscaling_v2_fields},
    {"batch.v1", "batch/v1",
     "io.k8s.api.batch.v1", batch_fields},
    {"certificates.v1", "certificates.k8s.io/v1",
     "io.k8s.api.certificates.v1", certificates_fields},
    {"coordination.v1", "coordination.k8s.io/v1",
     "io.k8s.api.coordination.v1", coordination_fields},
    {"core.v1", "v1",
     "io.k8s.api.core.v1", core_fields},
    {"discovery.v1", "discovery.k8s.io/v1",
     "io.k8s.api.discovery.v1", discovery_fields},
    {"events.v1", "events.k8s.io/v1",
     "io.k8s.api.events.v1", events_fields},
    {"flowcontrol.v1", "flowcontrol.apiserver.k8s.io/v1",
     "io.k8s.api.flowcontrol.v1", flow_control_fields},
    {"meta.v1", "v1",
     "io.k8s.apimachinery.pkg.apis.meta.v1", meta_fields},
    {"networking.v1", "networking.k8s.io/v1",
     "io.k8s.api.networking.v1", networking_fields},
    {"node.v1", "node.k8s.io/v1",
     "io.k8s.api.node.v1", node_fields},
    {"policy.v1", "policy/v1",
     "io.k8s.api.policy.v1", policy_fields},
    {"rbac.v1", "rbac.authorization.k8s.io/v1",
     "io.k8s.api.rbac.v1", rbac_fields},
    {"resource.v1", "resource.k8s.io/v1",
     "io.k8s.api.resource.v1", resource_fields},
    {"resource.v1beta2", "resource.k8s.io/v1beta2",
     "io.k8s.api.resource.v1beta2", resource_v1beta2_fields},
    {"scheduling.v1", "scheduling.k8s.io/v1",
     "io.k8s.api.scheduling.v1", scheduling_fields},
    {"storage.v1", "storage.k8s.io/v1",
     "io.k8s.api.storage.v1", storage_fields},
};
// clang-format on

}  // namespace

std::span<const Package> packages() { return kPackages; }

}  // namespace davit
