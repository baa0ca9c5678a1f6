/// Warnings about pods that are allowed and yet hardly meant.
#pragma once

#include <string>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_path.hpp"

namespace davit::sandbox {

/// Adds those of a pod at `path`, except that of AppArmor. k8s: pkg/api/pod/warnings.go.
void add_pod_warnings(const Json& pod, const FieldPath& path, std::vector<std::string>& out);
/// Adds those of a template at `path`.
void add_template_warnings(const Json& pod, const FieldPath& path, std::vector<std::string>& out);
/// Adds those of the AppArmor annotations of a new pod that has its fields. They come first.
void add_app_armor_warnings(const Json& pod, std::vector<std::string>& out);

}  // namespace davit::sandbox
