/// Checks of the literals of an expression that is well typed.
#pragma once

#include "lib/cel/ast.hpp"
#include "lib/cel/checker.hpp"

namespace davit::cel {

/// Adds an issue for each regular expression, duration or time that can never be read, and for
/// lists and maps whose elements have different types, except in the arguments of format(). These
/// are cel-go's AST validators (cel/validator.go) that Kubernetes enables.
void check_literals(const Expr& root, Checked& checked);

}  // namespace davit::cel
