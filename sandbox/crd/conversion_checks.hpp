/// The validation of spec.conversion of a CustomResourceDefinition.
#pragma once

#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_error.hpp"

namespace davit::sandbox {

/// Adds what is wrong with spec.conversion. `old`: the definition before an update, or null.
/// k8s: validateCustomResourceConversion of apiextensions/validation.
void check_conversion(const Json& definition, const Json* old, FieldErrors& errors);

/// Whether no client can use the authorities that the conversion webhook is to be verified with.
[[nodiscard]] bool has_unusable_bundle(const Json& definition);

}  // namespace davit::sandbox
