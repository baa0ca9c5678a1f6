#include "host/base/json_text.hpp"

#include <cstddef>

namespace davit::host {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

/// The length of the UTF-8 sequence at `at`, or 0 when there is none (also for overlong forms and
/// surrogates).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return 1;
  if (!continues(text, at + 1)) return 0;
  const auto second = static_cast<unsigned char>(text[at + 1]);
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (!continues(text, at + 2)) return 0;
  if (first == 0xE0) return second >= 0xA0 ? 3 : 0;
  if (first == 0xED) return second < 0xA0 ? 3 : 0;
  if (first >= 0xE1 && first <= 0xEF) return 3;
  if (!continues(text, at + 3)) return 0;
  if (first == 0xF0) return second >= 0x90 ? 4 : 0;
  if (first >= 0xF1 && first <= 0xF3) return 4;
  if (first == 0xF4) return second < 0x90 ? 4 : 0;
  return 0;
}

void append_control(std::string& out, unsigned char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kDigits[c >> 4U];
      out += kDigits[c & 0xFU];
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t at = 0;
  while (at < text.size()) {
    const auto c = static_cast<unsigned char>(text[at]);
    const std::size_t length = sequence_length(text, at);
    if (length == 0) {
      out += kReplacement;
      ++at;
      continue;
    }
    if (c < 0x20 || c == 0x7F) {
      append_control(out, c);
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else {
      out.append(text, at, length);
    }
    at += length;
  }
  out += '"';
}

std::string json_string(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_json_string(out, text);
  return out;
}

}  // namespace davit::host
