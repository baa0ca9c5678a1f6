/// The type checker: finds the type of every part of an expression, in cel-go's way and words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lib/cel/ast.hpp"
#include "lib/cel/declarations.hpp"
#include "lib/cel/source.hpp"
#include "lib/cel/types.hpp"

namespace davit::cel {

/// A variable that an expression may use.
struct Variable {
  std::string name;
  TypePtr type;
};

/// The outcome of a check.
struct Checked {
  /// The types by the ids of expressions. A variable that nothing has bound is dyn.
  std::unordered_map<std::int64_t, TypePtr> types;
  /// The overloads that the calls may take, by the ids of calls. They live as long as the process.
  std::unordered_map<std::int64_t, std::vector<const Overload*>> overloads;
  /// The variables that the expression uses.
  std::unordered_set<std::string> variables;
  /// The first type of mutations that the expression uses as a value, which no evaluator knows.
  std::string patch_type;
  Issues issues;  ///< Empty: the expression is well typed.

  /// The type of the whole expression.
  TypePtr result;
};

/// Whether an expression may use the types of mutations: see mutation_types.hpp.
enum class PatchTypes : bool { kNo, kYes };

/// Checks a parsed expression, and afterwards its literals: regular expressions, durations and
/// times that are wrong, lists and maps with elements of different types. Pure.
[[nodiscard]] Checked check(const Expr& expression, const std::vector<Variable>& variables,
                            PatchTypes patch_types = PatchTypes::kNo);

}  // namespace davit::cel
