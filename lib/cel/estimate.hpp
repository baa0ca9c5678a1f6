/// The estimate of an expression's cost before it runs.
#pragma once

#include <cstdint>
#include <string_view>

#include "lib/cel/ast.hpp"
#include "lib/cel/checker.hpp"
#include "lib/cel/range.hpp"
#include "lib/cel/schema_type.hpp"

namespace davit::cel {

/// The least and the greatest cost of an expression that check() has found well typed, for values
/// that fit `root`: the type of the variables `self` and `oldSelf`, whose limits bound the sizes,
/// or of `variable` alone if that is given. The rules of cel-go's checker/cost.go and of
/// k8s.io/apiserver's pkg/cel/library/cost.go.
[[nodiscard]] Range estimate_cost(const Expr& expression, const Checked& checked,
                                  const SchemaType& root, std::string_view variable = {});

}  // namespace davit::cel
