/// Tokens of the Common Expression Language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "lib/cel/source.hpp"

namespace davit::cel {

/// In the order in which the grammar declares them (CEL.g4), which is that of "expecting {…}".
enum class TokenKind : std::uint8_t {
  kEquals,
  kNotEquals,
  kIn,
  kLess,
  kLessEquals,
  kGreaterEquals,
  kGreater,
  kAnd,
  kOr,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kLeftParen,
  kRightParen,
  kDot,
  kComma,
  kMinus,
  kNot,
  kQuestion,
  kColon,
  kPlus,
  kStar,
  kSlash,
  kPercent,
  kTrue,
  kFalse,
  kNull,
  kFloat,
  kInt,
  kUint,
  kString,
  kBytes,
  kIdentifier,
  kEscapedIdentifier,
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::uint32_t offset = 0;  ///< In code points.
  std::string_view text;     ///< Part of the source; "<EOF>" at the end.
};

/// The tokens of a text, kEnd last. Adds an issue for each place that has no token.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view text, Issues& issues);

/// The name of a kind in messages: "'['", "IDENTIFIER".
[[nodiscard]] std::string_view name_of(TokenKind kind);

enum class QuotedKind : std::uint8_t { kText, kBytes };
/// The content of a quoted literal without its `b`. kInvalid with cel-go's message.
[[nodiscard]] Result<std::string> unquote(std::string_view literal, QuotedKind kind);

}  // namespace davit::cel
