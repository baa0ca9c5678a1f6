/// Reads an expression: lexer, parser and macros of the Common Expression Language.
#pragma once

#include <cstddef>
#include <string_view>

#include "lib/cel/ast.hpp"
#include "lib/cel/source.hpp"

namespace davit::cel {

/// Longer expressions are refused; in code points, as upstream (parser.go).
inline constexpr std::size_t kExpressionSizeMax = 100'000;
/// Nested deeper, expressions are refused, as upstream, which counts each rule of the grammar
/// separately while it reads. Afterwards it refuses more operators, selections, indexes and member
/// calls than these above one another.
inline constexpr int kRecursionMax = 250;

struct Parsed {
  ExprPtr root;  ///< Null if there are issues.
  Issues issues;
};

/// Whether an expression has the macro cel.bind: those that select devices do.
enum class Bindings : bool { kNo, kYes };

/// Parses `text`, which is UTF-8, with the macros of Kubernetes v1.36: has, all, exists,
/// exists_one, existsOne, map, filter, their forms with two variables, transformList, transformMap,
/// transformMapEntry, optMap, optFlatMap and sortBy.
[[nodiscard]] Parsed parse(std::string_view text, Bindings bindings = Bindings::kNo);

}  // namespace davit::cel
