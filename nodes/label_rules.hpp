/// Decides which nodes a pod accepts by their labels and taints. Pure.
#pragma once

#include <string_view>

#include "lib/kube/json.hpp"

namespace davit::sandbox {

/// spec.nodeSelector and required node affinity of `pod_spec`.
[[nodiscard]] bool accepts_labels(const Json& pod_spec, const Json& labels,
                                  std::string_view node_name);

/// Whether one of `tolerations` tolerates `taint`.
[[nodiscard]] bool tolerates(const Json& tolerations, const Json& taint);

}  // namespace davit::sandbox
