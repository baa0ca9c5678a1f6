/// The quality of service that a pod's requests and limits earn it.
#pragma once

#include "lib/kube/json.hpp"

namespace davit::sandbox {

/// "Guaranteed", "Burstable" or "BestEffort". k8s: ComputePodQOS.
[[nodiscard]] const char* qos_class(const Json& spec);

}  // namespace davit::sandbox
