/// The status controller of ValidatingAdmissionPolicies: checks the types of their expressions.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/discovery.hpp>
#include <vector>

#include "plugins/admissionpolicy/expression_check.hpp"
#include "plugins/admissionpolicy/matched_kinds.hpp"
#include "plugins/admissionpolicy/views.hpp"

namespace davit::admissionpolicy {

/// Read, decide, act: the rules are in matched_kinds, kind_types and expression_check, which are
/// pure. Keeps nothing between syncs. Rule: docs/spec/cluster-controllers.md, part B.
class AdmissionPolicyController final : public Controller {
 public:
  explicit AdmissionPolicyController(Context& cluster);

 private:
  [[nodiscard]] Result<Again> sync(const Key& key) const;
  /// The kinds of the policy's rules that the server has.
  [[nodiscard]] Result<std::vector<ServedKind>> kinds_of(
      const ValidatingAdmissionPolicy& policy) const;
  /// The type of a kind; null if the server publishes none that is known here.
  [[nodiscard]] Result<cel::TypePtr> type_of(const ServedKind& kind) const;
  /// The type of `params`; null if the policy has no paramKind.
  [[nodiscard]] Result<cel::TypePtr> params_of(const ValidatingAdmissionPolicy& policy) const;
  [[nodiscard]] Status write(const ValidatingAdmissionPolicy& policy,
                             const std::vector<ExpressionWarning>& warnings) const;

  Context& cluster_;
  Queue queue_;
  Informer<ValidatingAdmissionPolicy> policies_;
};

}  // namespace davit::admissionpolicy
