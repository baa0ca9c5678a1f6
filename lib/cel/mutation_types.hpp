/// The types that expressions of mutations make: `Object` and the types of its parts, such as
/// `Object.spec.containers`, and `JSONPatch`. The rules of k8s.io/apiserver's pkg/cel/mutation.
#pragma once

#include <string_view>

#include "lib/cel/types.hpp"

namespace davit::cel {

/// The type of this name; null: there is none.
[[nodiscard]] TypePtr mutation_type(std::string_view name);
/// The type of a field of such a type; null: it has no such field.
[[nodiscard]] TypePtr mutation_field(const Type& type, std::string_view field);

}  // namespace davit::cel
