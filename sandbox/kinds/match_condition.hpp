/// The CEL expressions of webhooks' match conditions.
#pragma once

#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_error.hpp"
#include "lib/kube/validation/field_path.hpp"

namespace davit::sandbox {

/// Checks that an expression is there, compiles and is a bool. Where it uses `authorizer`, whose
/// functions lib/cel does not have, it checks the syntax alone.
/// k8s: validateMatchCondition of pkg/apis/admissionregistration/validation, with the variables of
/// k8s.io/apiserver/pkg/admission/plugin/cel/compile.go.
void check_match_expression(const Json& expression, const FieldPath& path, FieldErrors& errors);

}  // namespace davit::sandbox
