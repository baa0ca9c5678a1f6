#include "lib/cel/grammar.hpp"

#include <algorithm>
#include <array>

namespace davit::cel {
namespace {

using Kind = TokenKind;

}  // namespace

const Kinds& starts() {
  static const Kinds kStart = {Kind::kLeftBracket, Kind::kLeftBrace, Kind::kLeftParen, Kind::kDot,
                               Kind::kMinus,       Kind::kNot,       Kind::kTrue,      Kind::kFalse,
                               Kind::kNull,        Kind::kFloat,     Kind::kInt,       Kind::kUint,
                               Kind::kString,      Kind::kBytes,     Kind::kIdentifier};
  return kStart;
}

bool contains(const Kinds& kinds, Kind kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

Kinds with(Kinds kinds, std::initializer_list<Kind> more) {
  kinds.insert(kinds.end(), more);
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

std::string names_of(const Kinds& kinds) {
  std::string out;
  for (const Kind kind : kinds) {
    if (!out.empty()) out.append(", ");
    out.append(name_of(kind));
  }
  return kinds.size() == 1 ? out : "{" + out + "}";
}

bool is_reserved(std::string_view name) {
  constexpr std::array<std::string_view, 17> kReserved = {
      "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
      "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

std::optional<std::string_view> relation_of(Kind kind) {
  switch (kind) {
    case Kind::kEquals:
      return operators::kEquals;
    case Kind::kNotEquals:
      return operators::kNotEquals;
    case Kind::kIn:
      return operators::kIn;
    case Kind::kLess:
      return operators::kLess;
    case Kind::kLessEquals:
      return operators::kLessEquals;
    case Kind::kGreaterEquals:
      return operators::kGreaterEquals;
    case Kind::kGreater:
      return operators::kGreater;
    default:
      return std::nullopt;
  }
}

std::optional<Arithmetic> arithmetic_of(Kind kind) {
  switch (kind) {
    case Kind::kStar:
      return Arithmetic{operators::kMultiply, 2};
    case Kind::kSlash:
      return Arithmetic{operators::kDivide, 2};
    case Kind::kPercent:
      return Arithmetic{operators::kModulo, 2};
    case Kind::kPlus:
      return Arithmetic{operators::kAdd, 1};
    case Kind::kMinus:
      return Arithmetic{operators::kSubtract, 1};
    default:
      return std::nullopt;
  }
}

bool is_deeper(const Expr& expr, std::size_t left) {
  if (left == 0) return true;
  const auto deeper = [left](const ExprPtr& part) { return part && is_deeper(*part, left - 1); };
  if (deeper(expr.target) || std::any_of(expr.args.begin(), expr.args.end(), deeper)) return true;
  for (const Entry& entry : expr.entries) {
    if (deeper(entry.key) || deeper(entry.value)) return true;
  }
  if (!expr.loop) return false;
  const Comprehension& loop = *expr.loop;
  return deeper(loop.range) || deeper(loop.init) || deeper(loop.condition) || deeper(loop.step) ||
         deeper(loop.result);
}

}  // namespace davit::cel
