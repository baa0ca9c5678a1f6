#include "lib/cel/lexer.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "lib/base/utf8.hpp"

namespace davit::cel {
namespace {

constexpr std::array<std::string_view, 36> kTokenNames = {
    "'=='",      "'!='",    "'in'",     "'<'",    "'<='",   "'>='",       "'>'",
    "'&&'",      "'||'",    "'['",      "']'",    "'{'",    "'}'",        "'('",
    "')'",       "'.'",     "','",      "'-'",    "'!'",    "'?'",        "':'",
    "'+'",       "'*'",     "'/'",      "'%'",    "'true'", "'false'",    "'null'",
    "NUM_FLOAT", "NUM_INT", "NUM_UINT", "STRING", "BYTES",  "IDENTIFIER", "ESC_IDENTIFIER",
    "<EOF>"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_octal(char c) { return c >= '0' && c <= '7'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The end of the longest token at the front of a text, or where none can continue.
struct Scan {
  std::optional<TokenKind> kind;
  std::size_t end = 0;  ///< Without kind: the place of the byte that does not fit.
};

/// '\0' beyond the end; the grammar has no token with it outside of quotes.
char char_at(std::string_view text, std::size_t at) { return at < text.size() ? text[at] : '\0'; }

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (is_digit(char_at(text, at))) ++at;
  return at;
}

/// The end of an exponent at `at`, or `at`.
std::size_t skip_exponent(std::string_view text, std::size_t at) {
  if (char_at(text, at) != 'e' && char_at(text, at) != 'E') return at;
  const char sign = char_at(text, at + 1);
  const std::size_t digits = at + (sign == '+' || sign == '-' ? 2 : 1);
  const std::size_t end = skip_digits(text, digits);
  return end == digits ? at : end;
}

Scan scan_number(std::string_view text) {
  if (text.starts_with("0x") && hex_value(char_at(text, 2)) >= 0) {
    std::size_t end = 2;
    while (hex_value(char_at(text, end)) >= 0) ++end;
    const bool is_unsigned = char_at(text, end) == 'u' || char_at(text, end) == 'U';
    return {is_unsigned ? TokenKind::kUint : TokenKind::kInt, end + (is_unsigned ? 1 : 0)};
  }
  std::size_t end = skip_digits(text, 0);
  const std::size_t whole = end;
  if (char_at(text, end) == '.' && is_digit(char_at(text, end + 1)))
    end = skip_digits(text, end + 1);
  end = skip_exponent(text, end);
  if (end != whole) return {TokenKind::kFloat, end};
  const bool is_unsigned = char_at(text, end) == 'u' || char_at(text, end) == 'U';
  return {is_unsigned ? TokenKind::kUint : TokenKind::kInt, end + (is_unsigned ? 1 : 0)};
}

/// The end of the escape sequence whose backslash is at `at`; nothing, and `at` is where it breaks.
std::optional<std::size_t> escape_end(std::string_view text, std::size_t& at) {
  const char c = char_at(text, at + 1);
  std::size_t digits = 0;
  if (c != '\0' && std::string_view("abfnrtv\"'\\?`").find(c) != std::string_view::npos)
    return at + 2;
  if (c >= '0' && c <= '3') {
    for (++at; digits < 3; ++digits, ++at) {
      if (!is_octal(char_at(text, at))) return std::nullopt;
    }
    return at;
  }
  const std::size_t count = c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  at += count == 0 ? 1 : 2;
  if (count == 0) return std::nullopt;
  for (; digits < count; ++digits, ++at) {
    if (hex_value(char_at(text, at)) < 0) return std::nullopt;
  }
  return at;
}

/// A literal whose quotes begin at `at`.
Scan scan_string(std::string_view text, std::size_t at, TokenKind kind) {
  const bool raw = char_at(text, at) == 'r' || char_at(text, at) == 'R';
  if (raw) ++at;
  const char quote = char_at(text, at);
  const bool triple = char_at(text, at + 1) == quote && char_at(text, at + 2) == quote;
  // The empty literal, which an unterminated one with three quotes begins with.
  const std::size_t empty = char_at(text, at + 1) == quote ? at + 2 : 0;
  at += triple ? 3 : 1;
  while (at < text.size()) {
    const char c = text[at];
    if (c == quote &&
        (!triple || (char_at(text, at + 1) == quote && char_at(text, at + 2) == quote)))
      return {kind, at + (triple ? 3 : 1)};
    if (!triple && (c == '\n' || c == '\r')) break;
    if (c == '\\' && !raw) {
      const std::optional<std::size_t> end = escape_end(text, at);
      if (!end) break;
      at = *end;
    } else {
      ++at;
    }
  }
  if (empty != 0) return {kind, empty};
  return {std::nullopt, at};
}

/// A string or bytes literal; nothing if the text begins with neither.
std::optional<Scan> scan_quoted(std::string_view text) {
  std::size_t at = 0;
  const bool bytes = text[0] == 'b' || text[0] == 'B';
  if (bytes) ++at;
  const std::size_t begin = at;
  if (char_at(text, at) == 'r' || char_at(text, at) == 'R') ++at;
  if (char_at(text, at) != '"' && char_at(text, at) != '\'') return std::nullopt;
  Scan scan = scan_string(text, begin, bytes ? TokenKind::kBytes : TokenKind::kString);
  // A letter that begins no literal after all is an identifier.
  if (!scan.kind && is_letter(text[0])) return std::nullopt;
  return scan;
}

Scan scan_name(std::string_view text) {
  std::size_t end = 1;
  while (is_name(char_at(text, end))) ++end;
  const std::string_view name = text.substr(0, end);
  if (name == "in") return {TokenKind::kIn, end};
  if (name == "true") return {TokenKind::kTrue, end};
  if (name == "false") return {TokenKind::kFalse, end};
  if (name == "null") return {TokenKind::kNull, end};
  return {TokenKind::kIdentifier, end};
}

Scan scan_escaped_name(std::string_view text) {
  std::size_t end = 1;
  while (is_name(char_at(text, end)) ||
         (end < text.size() && std::string_view(".-/ ").find(text[end]) != std::string_view::npos))
    ++end;
  if (char_at(text, end) != '`' || end == 1) return {std::nullopt, end};
  return {TokenKind::kEscapedIdentifier, end + 1};
}

Scan scan_sign(std::string_view text) {
  // Longest first.
  for (const std::size_t size : {2U, 1U}) {
    const std::string_view sign = text.substr(0, size);
    for (std::size_t i = 0; i < kTokenNames.size(); ++i) {
      const std::string_view name = kTokenNames.at(i);
      if (sign.size() == size && name.size() == size + 2 && name.substr(1, size) == sign)
        return {static_cast<TokenKind>(i), size};
    }
  }
  // "&", "|" and "=" begin a sign that its second character breaks.
  return {std::nullopt, text[0] == '&' || text[0] == '|' || text[0] == '=' ? 1U : 0U};
}

Scan scan_token(std::string_view text) {
  const char c = text[0];
  if (is_digit(c) || (c == '.' && is_digit(char_at(text, 1)))) return scan_number(text);
  if (const std::optional<Scan> quoted = scan_quoted(text)) return *quoted;
  if (is_letter(c) || c == '_') return scan_name(text);
  if (c == '`') return scan_escaped_name(text);
  return scan_sign(text);
}

/// The end of space and comments.
std::size_t skip_hidden(std::string_view text, std::size_t at) {
  for (;;) {
    const std::size_t begin = at;
    while (at < text.size() &&
           std::string_view("\t \r\n\f").find(text[at]) != std::string_view::npos)
      ++at;
    if (text.substr(at).starts_with("//")) at = std::min(text.find('\n', at), text.size());
    if (at == begin) return at;
  }
}

/// Code points of a text.
std::uint32_t count_points(std::string_view text) {
  return static_cast<std::uint32_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string recognition_error(std::string_view text) {
  std::string out = "Syntax error: token recognition error at: '";
  for (const char c : text) {
    if (c == '\n')
      out.append("\\n");
    else if (c == '\r')
      out.append("\\r");
    else if (c == '\t')
      out.append("\\t");
    else
      out.push_back(c);
  }
  return out + "'";
}

/// `text` with "\n" for each end of a line.
std::string with_newlines(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r')
      out.push_back(text[i]);
    else if (char_at(text, i + 1) != '\n')
      out.push_back('\n');
  }
  return out;
}

/// The character after a backslash for a simple escape; '\0' if it is not one.
char simple_escape(char c) {
  constexpr std::string_view kFrom = "abfnrtv\\'\"`?";
  constexpr std::string_view kTo = "\a\b\f\n\r\t\v\\'\"`?";
  const std::size_t at = kFrom.find(c);
  return at == std::string_view::npos ? '\0' : kTo[at];
}

/// Appends the character of the escape sequence at the front of `text`, and takes it off.
Status take_escape(std::string_view& text, QuotedKind kind, std::string& out) {
  const char c = char_at(text, 1);
  if (const char plain = c == '\0' ? '\0' : simple_escape(c)) {
    out.push_back(plain);
    text.remove_prefix(2);
    return {};
  }
  const bool octal = c >= '0' && c <= '3';
  const std::size_t begin = octal ? 1 : 2;
  const std::size_t count = octal ? 3 : c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (count == 0 || text.size() < begin + count || (kind == QuotedKind::kBytes && count > 3))
    return {Code::kInvalid, "unable to unescape string"};
  std::uint64_t value = 0;
  for (std::size_t i = begin; i < begin + count; ++i)
    value = value * (octal ? 8 : 16) + static_cast<unsigned>(hex_value(text[i]));
  text.remove_prefix(begin + count);
  if (kind == QuotedKind::kBytes) {
    out.push_back(static_cast<char>(value));
    return {};
  }
  if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
    return {Code::kInvalid, "invalid unicode code point"};
  append_utf8(static_cast<std::uint32_t>(value), out);
  return {};
}

}  // namespace

std::string_view name_of(TokenKind kind) { return kTokenNames.at(static_cast<std::size_t>(kind)); }

std::vector<Token> tokens_of(std::string_view text, Issues& issues) {
  std::vector<Token> out;
  std::uint32_t offset = 0;
  std::size_t at = 0;
  for (;;) {
    const std::size_t begin = skip_hidden(text, at);
    offset += count_points(text.substr(at, begin - at));
    at = begin;
    if (at >= text.size()) break;
    const Scan scan = scan_token(text.substr(at));
    std::size_t size = scan.end;
    if (!scan.kind) {  // With the character that does not fit, whole.
      size = std::min(size + 1, text.size() - at);
      while (at + size < text.size() &&
             (static_cast<unsigned char>(text[at + size]) & 0xC0U) == 0x80U)
        ++size;
      issues.push_back({offset, recognition_error(text.substr(at, size))});
    } else {
      out.push_back({*scan.kind, offset, text.substr(at, size)});
    }
    offset += count_points(text.substr(at, size));
    at += size;
  }
  out.push_back({TokenKind::kEnd, offset, "<EOF>"});
  return out;
}

Result<std::string> unquote(std::string_view literal, QuotedKind kind) {
  const bool raw = literal.starts_with('r') || literal.starts_with('R');
  if (raw) literal.remove_prefix(1);
  const bool triple =
      literal.size() >= 6 && (literal.starts_with("'''") || literal.starts_with("\"\"\""));
  const std::size_t quotes = triple ? 3 : 1;
  const std::string text = with_newlines(literal.substr(quotes, literal.size() - 2 * quotes));
  if (raw) return text;
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t plain = std::min(rest.find('\\'), rest.size());
    out.append(rest.substr(0, plain));
    rest.remove_prefix(plain);
    if (rest.empty()) break;
    if (Status status = take_escape(rest, kind, out); !status.ok()) return status;
  }
  return out;
}

}  // namespace davit::cel
