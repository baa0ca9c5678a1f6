/// Tables of the grammar CEL.g4 that the parser and its messages share.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/cel/ast.hpp"
#include "lib/cel/lexer.hpp"

namespace davit::cel {

using Kinds = std::vector<TokenKind>;

/// The tokens that an expression begins with.
[[nodiscard]] const Kinds& starts();
[[nodiscard]] bool contains(const Kinds& kinds, TokenKind kind);
/// `kinds` and `more`, in the grammar's order.
[[nodiscard]] Kinds with(Kinds kinds, std::initializer_list<TokenKind> more);
/// "'a'", or "{'a', 'b'}".
[[nodiscard]] std::string names_of(const Kinds& kinds);
/// Whether variables and functions cannot have this name.
[[nodiscard]] bool is_reserved(std::string_view name);
/// The call that a comparison becomes.
[[nodiscard]] std::optional<std::string_view> relation_of(TokenKind kind);

/// The call that an operator becomes, and how closely it binds.
struct Arithmetic {
  std::string_view function;
  int precedence = 0;
};

[[nodiscard]] std::optional<Arithmetic> arithmetic_of(TokenKind kind);

/// Whether a tree exceeds kTreeDepthMax.
[[nodiscard]] bool is_deeper(const Expr& expr, std::size_t left = kTreeDepthMax);

}  // namespace davit::cel
