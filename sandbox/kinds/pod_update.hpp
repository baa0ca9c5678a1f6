/// The changes that an update of a pod may make.
#pragma once

#include "lib/kube/json.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// Changes of `spec`. k8s: ValidatePodUpdate, after the rules of the new pod itself.
void check_pod_spec_update(const Json& spec, const Json& old, FieldErrors& errors);
/// k8s: ValidatePodStatusUpdate, after metadata.
void check_pod_status_update(const Json& pod, const Json& old, FieldErrors& errors);
/// Makes podIP and the first of podIPs the same; podIP wins.
void align_pod_ips(Json& status);

}  // namespace davit::sandbox
