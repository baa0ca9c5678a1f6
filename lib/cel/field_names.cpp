#include "lib/cel/field_names.hpp"

#include <algorithm>
#include <array>

namespace davit::cel {

namespace {

constexpr std::array<std::string_view, 21> kReserved = {
    "true",     "false",   "null",      "in",       "as",  "break",  "const",
    "continue", "else",    "for",       "function", "if",  "import", "let",
    "loop",     "package", "namespace", "return",   "var", "void",   "while"};

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The text for a character that identifiers do not have; empty: nothing does.
std::string_view escape_of(char c) {
  switch (c) {
    case '.':
      return "__dot__";
    case '-':
      return "__dash__";
    case '/':
      return "__slash__";
    default:
      return {};
  }
}

bool is_keyword(std::string_view name) {
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

}  // namespace

std::string field_of_identifier(std::string_view identifier) {
  if (!is_keyword(identifier)) return std::string(identifier);
  return std::string("__").append(identifier).append("__");
}

std::optional<std::string> escaped_field(std::string_view property) {
  if (property.empty() || (property[0] >= '0' && property[0] <= '9')) return std::nullopt;
  if (is_keyword(property)) return field_of_identifier(property);
  std::string out;
  while (!property.empty()) {
    std::size_t used = 1;
    if (property.starts_with("__")) {
      out += "__underscores__";
      used = 2;
    } else if (is_plain(property[0])) {
      out += property[0];
    } else if (const std::string_view escape = escape_of(property[0]); !escape.empty()) {
      out += escape;
    } else {
      return std::nullopt;
    }
    property.remove_prefix(used);
  }
  return out;
}

}  // namespace davit::cel
