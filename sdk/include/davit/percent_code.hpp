/// Percent-escapes of URLs and header keys (RFC 3986, section 2.1). Pure. Requests of plugins need
/// percent_escape.hpp alone, which picks the plain characters.
#pragma once

#include <charconv>
#include <cstddef>
#include <davit/hex.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit {

/// `text` with each byte other than ASCII letters, digits and `also_plain` as "%XX".
[[nodiscard]] inline std::string percent_escaped(std::string_view text,
                                                 std::string_view also_plain) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool alphanumeric =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (alphanumeric || also_plain.find(c) != also_plain.npos) {
      out.push_back(c);
    } else {
      out.push_back('%');
      append_hex(out, static_cast<unsigned char>(c), HexCase::kUpper);
    }
  }
  return out;
}

/// The meaning of '+': itself in a path, a blank in a form.
enum class Plus : bool { kLiteral, kBlank };

/// The text that `text` stands for; nothing if a '%' lacks two hexadecimal digits.
[[nodiscard]] inline std::optional<std::string> percent_unescaped(std::string_view text,
                                                                  Plus plus = Plus::kLiteral) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' && plus == Plus::kBlank ? ' ' : text[i];
      continue;
    }
    unsigned char byte = 0;
    const char* const digits = text.data() + i + 1;
    if (text.size() - i < 3 || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) {
      return std::nullopt;
    }
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

}  // namespace davit
