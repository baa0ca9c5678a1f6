#include "cli/codegen/identifiers.hpp"

#include <algorithm>
#include <array>

namespace davit::host::codegen {
namespace {

// Sorted; with macros that headers of the C library and compilers define.
constexpr std::array<std::string_view, 102> kKeywords = {"NULL",
                                                         "alignas",
                                                         "alignof",
                                                         "and",
                                                         "and_eq",
                                                         "asm",
                                                         "assert",
                                                         "auto",
                                                         "bitand",
                                                         "bitor",
                                                         "bool",
                                                         "break",
                                                         "case",
                                                         "catch",
                                                         "char",
                                                         "char16_t",
                                                         "char32_t",
                                                         "char8_t",
                                                         "class",
                                                         "co_await",
                                                         "co_return",
                                                         "co_yield",
                                                         "compl",
                                                         "concept",
                                                         "const",
                                                         "const_cast",
                                                         "consteval",
                                                         "constexpr",
                                                         "constinit",
                                                         "continue",
                                                         "decltype",
                                                         "default",
                                                         "delete",
                                                         "do",
                                                         "double",
                                                         "dynamic_cast",
                                                         "else",
                                                         "enum",
                                                         "errno",
                                                         "explicit",
                                                         "export",
                                                         "extern",
                                                         "false",
                                                         "float",
                                                         "for",
                                                         "friend",
                                                         "goto",
                                                         "if",
                                                         "inline",
                                                         "int",
                                                         "linux",
                                                         "long",
                                                         "major",
                                                         "minor",
                                                         "mutable",
                                                         "namespace",
                                                         "new",
                                                         "noexcept",
                                                         "not",
                                                         "not_eq",
                                                         "nullptr",
                                                         "operator",
                                                         "or",
                                                         "or_eq",
                                                         "private",
                                                         "protected",
                                                         "public",
                                                         "register",
                                                         "reinterpret_cast",
                                                         "requires",
                                                         "return",
                                                         "short",
                                                         "signed",
                                                         "sizeof",
                                                         "static",
                                                         "static_assert",
                                                         "static_cast",
                                                         "stderr",
                                                         "stdin",
                                                         "stdout",
                                                         "struct",
                                                         "switch",
                                                         "template",
                                                         "this",
                                                         "thread_local",
                                                         "throw",
                                                         "true",
                                                         "try",
                                                         "typedef",
                                                         "typeid",
                                                         "typename",
                                                         "union",
                                                         "unix",
                                                         "unsigned",
                                                         "using",
                                                         "virtual",
                                                         "void",
                                                         "volatile",
                                                         "wchar_t",
                                                         "while",
                                                         "xor",
                                                         "xor_eq"};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; }

/// Whether a word begins at the capital `text[i]`: after a small letter or digit, or as the last
/// capital of several before a small letter. A plural's "s" belongs to the capitals: "podIPs".
bool begins_word(std::string_view text, std::size_t i) {
  const char before = text[i - 1];
  if (is_lower(before) || is_digit(before)) return true;
  if (!is_upper(before) || i + 1 >= text.size() || !is_lower(text[i + 1])) return false;
  const bool ends_after_s = i + 2 >= text.size() || is_upper(text[i + 2]);
  return !(text[i + 1] == 's' && ends_after_s);
}

}  // namespace

std::string snake_case(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!is_upper(c) && !is_lower(c) && !is_digit(c)) {
      if (!out.empty() && out.back() != '_') out.push_back('_');
      continue;
    }
    if (is_upper(c) && i > 0 && begins_word(text, i) && !out.empty() && out.back() != '_') {
      out.push_back('_');
    }
    out.push_back(lower(c));
  }
  while (out.ends_with('_')) out.pop_back();
  if (out.empty()) return "unnamed";
  return is_digit(out.front()) ? "n" + out : out;
}

std::string pascal_case(std::string_view text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (!is_upper(c) && !is_lower(c) && !is_digit(c)) {
      begins = true;
      continue;
    }
    // Two numbers stay apart: "1.2" is not "12".
    if (begins && is_digit(c) && !out.empty() && is_digit(out.back())) out.push_back('_');
    out.push_back(begins ? upper(c) : c);
    begins = false;
  }
  if (out.empty()) return "Empty";
  return is_digit(out.front()) ? "N" + out : out;
}

bool is_rust_keyword(std::string_view word) {
  static constexpr std::string_view kWords[] = {
      "Self",     "abstract", "as",      "async", "await",    "become", "box",    "break", "const",
      "continue", "crate",    "do",      "dyn",   "else",     "enum",   "extern", "false", "final",
      "fn",       "for",      "gen",     "if",    "impl",     "in",     "let",    "loop",  "macro",
      "match",    "mod",      "move",    "mut",   "override", "priv",   "pub",    "ref",   "return",
      "self",     "static",   "struct",  "super", "trait",    "true",   "try",    "type",  "typeof",
      "union",    "unsafe",   "unsized", "use",   "virtual",  "where",  "while",  "yield"};
  return std::ranges::find(kWords, word) != std::end(kWords);
}

bool is_cpp_keyword(std::string_view word) {
  return std::binary_search(kKeywords.begin(), kKeywords.end(), word);
}

std::string Scope::claim(const std::string& wanted) {
  if (!is_keyword_(wanted) && taken_.insert(wanted).second) return wanted;
  std::string name = wanted + "_";
  for (int number = 2; !taken_.insert(name).second; ++number) {
    name = wanted + "_" + std::to_string(number);
  }
  return name;
}

}  // namespace davit::host::codegen
