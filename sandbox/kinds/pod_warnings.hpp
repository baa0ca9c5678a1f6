/// Warnings about pods that are allowed and yet hardly meant.
#pragma once

#include <string>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_path.hpp"

namespace davit::sandbox {

/// Adds those of a pod or of a template at `path`. k8s: pkg/api/pod/warnings.go.
void add_pod_warnings(const Json& pod, const FieldPath& path, std::vector<std::string>& out);

}  // namespace davit::sandbox
