/// The annotation in which kubectl keeps what it applied before the server could: its owner may
/// move to server-side apply without conflicts with itself.
#pragma once

#include <string_view>

#include "lib/kube/json.hpp"
#include "sandbox/patch/field_set.hpp"
#include "sandbox/patch/typed_walk.hpp"

namespace davit::sandbox {

/// The only manager for which the annotation is looked at.
inline constexpr std::string_view kKubectl = "kubectl";

/// Fields that still have the value of the annotation: taking those over is not a conflict.
[[nodiscard]] FieldSet fields_as_last_applied(const Json& live, const Message* schema,
                                              const ResetFields& reset);
/// Makes the annotation, where there is one, say `applied`.
void update_last_applied(Json& object, const Json& applied);

}  // namespace davit::sandbox
