/// The parts of an expression that cel-go evaluates before its first use.
#pragma once

#include <string>

#include "lib/cel/ast.hpp"

namespace davit::cel {

/// Why no program can be made of a well-typed expression: a conversion of a constant that fails, or
/// a constant regular expression that does not compile. Empty if one can be made. These are
/// cel-go's optimizations (interpreter/decorators.go) that Kubernetes enables.
[[nodiscard]] std::string planning_error(const Expr& root);

}  // namespace davit::cel
