/// CompiledPolicy: the expressions of a ValidatingAdmissionPolicy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/cel/admission.hpp"
#include "lib/kube/json.hpp"
#include "sandbox/policy/policy_frame.hpp"

namespace davit::sandbox {

/// The decision of a policy on a write, with one parameter.
struct PolicyVerdict {
  struct Denial {
    std::string message;
    std::string reason;  ///< That of the Status; empty: Invalid.
  };
  std::vector<Denial> denials;  ///< In the order of the validations.
  /// Errors of audit annotations, which refuse the write, also if the binding only warns.
  std::vector<std::string> annotation_errors;
};

/// Immutable and thread-safe.
/// The rules of k8s.io/apiserver/pkg/admission/plugin/policy/validating.
class CompiledPolicy {
 public:
  /// `policy`: a stored object, whose expressions need not be right.
  explicit CompiledPolicy(const Json& policy);

  [[nodiscard]] const PolicyFrame& frame() const { return frame_; }
  [[nodiscard]] PolicyVerdict judge(const cel::AdmissionValues& values) const;

 private:
  struct Validation {
    cel::AdmissionExpression expression;
    std::optional<cel::AdmissionExpression> by_expression;
    std::string message;
    std::string reason;
  };
  /// The results of a run, or the error that ended it.
  struct Run {
    std::vector<cel::AdmissionOutcome> outcomes;
    std::string error;
  };

  /// False if the budget ran out, which ends the judgement.
  [[nodiscard]] bool validate(const cel::AdmissionValues& values, PolicyVerdict& verdict) const;
  /// Evaluates the messageExpressions, also of validations that hold, as upstream does.
  [[nodiscard]] Run messages(const cel::AdmissionValues& values, std::int64_t budget) const;
  void annotate(const cel::AdmissionValues& values, PolicyVerdict& verdict) const;
  void fail(std::string error, PolicyVerdict& verdict) const;
  [[nodiscard]] static std::string message_of(const Validation& validation,
                                              const cel::AdmissionOutcome* by_expression);

  PolicyFrame frame_;
  std::vector<Validation> validations_;
  std::vector<cel::AdmissionExpression> annotations_;
};

}  // namespace davit::sandbox
