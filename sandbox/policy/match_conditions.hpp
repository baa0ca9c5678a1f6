/// The match conditions of policies and webhooks.
#pragma once

#include <string>
#include <vector>

#include "lib/cel/admission.hpp"

namespace davit::sandbox {

struct ConditionsVerdict {
  bool matches = false;
  std::string error;  ///< Why it cannot be decided; `matches` is false.
};

/// Whether all conditions hold for a write. `variables`: the members of `variables`, if declared.
/// k8s: Match of k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions.
[[nodiscard]] ConditionsVerdict match_conditions(
    const std::vector<cel::AdmissionExpression>& conditions, const cel::AdmissionValues& values,
    const std::vector<cel::NamedExpression>& variables);

}  // namespace davit::sandbox
