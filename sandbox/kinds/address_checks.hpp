/// Checks of addresses and ranges in the fields of network kinds.
#pragma once

#include <string>
#include <string_view>

#include "lib/kube/names.hpp"
#include "lib/kube/validation/field_path.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// An address in its canonical form. k8s: IsValidIP of pkg/util/validation.
[[nodiscard]] Violations check_canonical_ip(std::string_view text);
/// A range whose bits beyond the prefix are 0, in its canonical form. k8s: IsValidCIDR of
/// pkg/util/validation.
void check_range(const std::string& cidr, const FieldPath& path, FieldErrors& errors);
/// An address with the length of its network's prefix, in its canonical form. k8s:
/// IsValidInterfaceAddress of pkg/util/validation.
void check_interface_address(const std::string& text, const FieldPath& path, FieldErrors& errors);

}  // namespace davit::sandbox
