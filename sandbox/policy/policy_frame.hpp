/// The parts that validating and mutating policies have in common.
#pragma once

#include <string>
#include <vector>

#include "lib/cel/admission.hpp"
#include "lib/kube/json.hpp"
#include "sandbox/policy/match_conditions.hpp"

namespace davit::sandbox {

/// A policy without its validations or mutations. Its expressions need not be right.
struct PolicyFrame {
  std::string name;
  Json spec;
  bool fails = true;  ///< failurePolicy Fail: errors refuse writes.
  std::vector<cel::NamedExpression> variables;
  std::vector<cel::AdmissionExpression> conditions;

  /// Whether the write is one that the match conditions are for.
  [[nodiscard]] ConditionsVerdict matches(const cel::AdmissionValues& values) const {
    if (conditions.empty()) return {true, ""};
    return match_conditions(conditions, values, variables);
  }
};

/// The compiler of a stored policy's expressions.
[[nodiscard]] cel::AdmissionCompiler policy_compiler(const Json& policy);
/// `compiler` gets the variables.
[[nodiscard]] PolicyFrame policy_frame(const Json& policy, cel::AdmissionCompiler& compiler);

}  // namespace davit::sandbox
