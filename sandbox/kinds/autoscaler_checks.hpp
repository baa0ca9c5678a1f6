/// Validation of HorizontalPodAutoscalers in the form of autoscaling/v2.
/// Rule: docs/spec/hpa.md, section 2.2.
#pragma once

#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_error.hpp"
#include "sandbox/kinds/kind_gates.hpp"

namespace davit::sandbox {

/// `old` is null for a new object.
void check_autoscaler(const Json& autoscaler, const Json& old, const KindGates& gates,
                      FieldErrors& errors);
void check_autoscaler_status(const Json& status, FieldErrors& errors);

}  // namespace davit::sandbox
