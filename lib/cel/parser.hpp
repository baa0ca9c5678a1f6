/// Reads an expression: lexer, parser and macros of the Common Expression Language.
#pragma once

#include <cstddef>
#include <string_view>

#include "lib/cel/ast.hpp"
#include "lib/cel/source.hpp"

namespace davit::cel {

/// Longer expressions are refused; in code points, as upstream (parser.go).
inline constexpr std::size_t kExpressionSizeMax = 100'000;
/// Nested or chained deeper, expressions are refused, as upstream. It counts each rule of the
/// grammar separately.
inline constexpr int kRecursionMax = 250;

struct Parsed {
  ExprPtr root;  ///< Null if there are issues.
  Issues issues;
};

/// Parses `text`, which is UTF-8, with the macros of Kubernetes v1.36: has, all, exists,
/// exists_one, existsOne, map, filter, their forms with two variables, transformList, transformMap,
/// transformMapEntry, optMap and optFlatMap. It has neither cel.bind nor sortBy.
[[nodiscard]] Parsed parse(std::string_view text);

}  // namespace davit::cel
