/// The types of a policy's expressions, checked for each kind that it matches.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/cel/types.hpp"
#include "plugins/admissionpolicy/matched_kinds.hpp"

namespace davit::admissionpolicy {

/// The expressions of a policy that are checked, and those that they use.
struct PolicyExpressions {
  struct Validation {
    std::string expression;
    std::string message;  ///< messageExpression; empty: none.
  };
  std::vector<std::pair<std::string, std::string>> variables;  ///< Name and expression.
  std::vector<Validation> validations;
};

struct TypedKind {
  GroupVersionKind id;
  cel::TypePtr type;
};

struct ExpressionWarning {
  std::string field_ref;  ///< "spec.validations[0].expression"
  std::string warning;
  friend bool operator==(const ExpressionWarning&, const ExpressionWarning&) = default;
};

/// The warnings in the order of the expressions. `params`: the type of that variable; null: it is
/// not declared. A part that this checker does not know gives no warning.
/// Rules: docs/spec/cluster-controllers.md, B3 and B6 to B10. Pure.
[[nodiscard]] std::vector<ExpressionWarning> check_expressions(const PolicyExpressions& policy,
                                                               const std::vector<TypedKind>& kinds,
                                                               const cel::TypePtr& params);

}  // namespace davit::admissionpolicy
