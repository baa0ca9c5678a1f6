#include "lib/kube/validation/pattern.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace davit {

namespace {

constexpr int kDepthMax = 1'000;  // Parentheses; Go's limit.
// Limits the program and what matching caches. RE2's default of 8 MiB is too little for a class of
// letters (\p{L}) with a large count, which Go takes: a count of 1,000, the largest, needs 21 MiB.
constexpr std::int64_t kMemoryMax = 32 << 20;

Status error(std::string_view what, std::string_view where) {
  std::string message = "error parsing regexp: ";
  message.append(what).append(": `").append(where).append("`");
  return {Code::kInvalid, std::move(message)};
}

/// The words of Go's regexp/syntax.
std::string_view words_of(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
      return "invalid character class";
    case re2::RE2::ErrorBadCharRange:
      return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
      return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
      return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    case re2::RE2::ErrorPatternTooLarge:
      return "expression too large";
    case re2::RE2::NoError:
    case re2::RE2::ErrorInternal:
      break;
  }
  return "regexp/syntax: internal error";
}

/// Length of the bracket expression that `text` begins with; all of `text` when it has no end.
std::size_t bracket_length(std::string_view text) {
  std::size_t at = text.starts_with("[^") ? 2 : 1;
  if (text.substr(at).starts_with(']')) ++at;  // In first position it is literal.
  while (at < text.size() && text[at] != ']') {
    const std::size_t name_end =
        text.substr(at).starts_with("[:") ? text.find(":]", at + 2) : std::string_view::npos;
    if (name_end != std::string_view::npos) {
      at = name_end + 2;
    } else {
      at += text[at] == '\\' ? 2 : 1;
    }
  }
  return std::min(at + 1, text.size());
}

/// Length of the escape that `text` begins with. `\Q` quotes all that follows up to `\E`.
std::size_t escape_length(std::string_view text) {
  if (!text.starts_with("\\Q")) return std::min<std::size_t>(2, text.size());
  const std::size_t end = text.find("\\E");
  return end == std::string_view::npos ? text.size() : end + 2;
}

/// Go's expression as RE2 spells it. Refuses what Go does and RE2 does not: deep nesting, and `\C`
/// for one byte.
Result<std::string> in_syntax_of_re2(std::string_view expression) {
  std::string out;
  int depth = 0;
  for (std::size_t at = 0; at < expression.size();) {
    const std::string_view rest = expression.substr(at);
    std::size_t length = 1;
    if (rest.starts_with('\\')) {
      if (rest.starts_with("\\C")) return error("invalid escape sequence", "\\C");
      length = escape_length(rest);
    } else if (rest.starts_with('[')) {
      length = bracket_length(rest);
    } else if (rest.starts_with('(')) {
      if (++depth > kDepthMax) return error("expression nests too deeply", expression);
      if (rest.starts_with("(?<")) {  // Go has two spellings for a group's name, RE2 has one.
        out += "(?P<";
        at += 3;
        continue;
      }
    } else if (rest.starts_with(')')) {
      --depth;
    }
    out += rest.substr(0, length);
    at += length;
  }
  return out;
}

}  // namespace

Result<Pattern> Pattern::compile(std::string_view expression) {
  const Result<std::string> text = in_syntax_of_re2(expression);
  if (!text) return text.error();
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(kMemoryMax);
  auto program = std::make_shared<const re2::RE2>(*text, options);
  if (!program->ok()) return error(words_of(program->error_code()), program->error_arg());
  return Pattern(std::move(program));
}

bool Pattern::matches(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *program_);
}

std::optional<std::pair<std::size_t, std::size_t>> Pattern::find(std::string_view text,
                                                                 std::size_t begin) const {
  re2::StringPiece match;
  const re2::StringPiece whole(text.data(), text.size());
  if (!program_->Match(whole, begin, text.size(), re2::RE2::UNANCHORED, &match, 1))
    return std::nullopt;
  const auto first = static_cast<std::size_t>(match.data() - text.data());
  return std::pair(first, first + match.size());
}

}  // namespace davit
