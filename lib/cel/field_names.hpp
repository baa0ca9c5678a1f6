/// The names of fields as expressions write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace davit::cel {

/// The identifier for a property: `a-b` becomes `a__dash__b`, `namespace` becomes `__namespace__`.
/// Nothing if the name has characters that no identifier stands for, or starts with a digit.
/// The rules of k8s.io/apiserver's pkg/cel/escaping.go.
[[nodiscard]] std::optional<std::string> escaped_field(std::string_view property);

/// The escaped identifier of a keyword that names a field, such as `self.namespace`; every other
/// identifier as it is.
[[nodiscard]] std::string field_of_identifier(std::string_view identifier);

}  // namespace davit::cel
