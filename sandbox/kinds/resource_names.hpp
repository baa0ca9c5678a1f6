/// The names of resources in quotas, limits and nodes, and amounts of them.
/// k8s: pkg/apis/core/helper, and validateResourceName and its neighbours in core/validation.
#pragma once

#include <string_view>

#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_error.hpp"
#include "lib/kube/validation/field_path.hpp"

namespace davit::sandbox {

/// Whether a quota may bound the resource by a short name; all others have a domain.
[[nodiscard]] bool is_quota_resource(std::string_view name);
[[nodiscard]] bool is_huge_page(std::string_view name);
/// Kubernetes' own, in contrast to what a device plugin offers.
[[nodiscard]] bool is_native_resource(std::string_view name);
/// Whether pods may ask for a device plugin's or driver's resource by this name.
/// k8s: IsExtendedResourceName.
[[nodiscard]] bool is_extended_resource(std::string_view name);
/// Whether limits may exceed requests.
[[nodiscard]] bool allows_overcommit(std::string_view name);

/// A resource that the API knows, or one with a domain. Returns whether the syntax is right.
bool check_any_resource_name(std::string_view name, const FieldPath& path, FieldErrors& errors);
/// Not negative, and whole where the resource is counted.
void check_amount(std::string_view name, const Json& quantity, const FieldPath& path,
                  FieldErrors& errors);

}  // namespace davit::sandbox
