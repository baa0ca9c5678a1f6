/// The types of kinds, as expressions of policies see them.
#pragma once

#include <string>

#include "lib/cel/types.hpp"
#include "lib/kube/json.hpp"
#include "plugins/admissionpolicy/matched_kinds.hpp"

namespace davit::admissionpolicy {

/// The type of a built-in kind; null for another kind.
/// Rule: docs/spec/cluster-controllers.md, B5.
[[nodiscard]] cel::TypePtr built_in_type(const GroupVersionKind& kind);

/// The type of a custom kind; null if `definition`, a CustomResourceDefinition, has no such version
/// or no schema for it.
[[nodiscard]] cel::TypePtr custom_type(const Json& definition, const GroupVersionKind& kind);

}  // namespace davit::admissionpolicy
