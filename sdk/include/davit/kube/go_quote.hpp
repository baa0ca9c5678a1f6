/// Texts in quotes, as Go's %q writes them.
#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

namespace davit {

/// Go's strconv.Quote for valid UTF-8 whose characters can be printed; of others, the control
/// characters of ASCII are escaped.
[[nodiscard]] inline std::string go_quoted(std::string_view text) {
  constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kLetters = "abfnrtv\\\"";
  std::string out = "\"";
  for (const char c : text) {
    if (const std::size_t at = kEscaped.find(c); at != std::string_view::npos) {
      out += '\\';
      out += kLetters[at];
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '\x7f') {
      std::array<char, 5> code{};
      std::snprintf(code.data(), code.size(), "\\x%02x", static_cast<unsigned>(c));
      out += code.data();
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace davit
