#include "lib/base/json_text.hpp"

#include <algorithm>
#include <cstddef>
#include <davit/hex.hpp>

#include "lib/base/utf8.hpp"

namespace davit {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

void append_control(std::string& out, unsigned char c) {
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
      append_hex(out, c);
  }
}

/// Characters that need no escape: ASCII without controls, quotes and backslashes.
bool is_plain(unsigned char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  std::size_t clean = 0;  // Everything before it is written.
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (is_plain(c)) {
      ++at;
      continue;
    }
    const std::size_t length = utf8_length(text.substr(at));
    const auto next = static_cast<unsigned char>(length == 2 ? text[at + 1] : '\0');
    const bool upper_control = c == 0xC2 && length == 2 && next < 0xA0;  // U+0080 to U+009F.
    if (length > 1 && !upper_control) {
      at += length;
      continue;
    }
    out.append(text, clean, at - clean);
    if (length == 0) {
      out += kReplacement;
    } else if (upper_control) {
      append_control(out, next);
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else {
      append_control(out, c);
    }
    at += std::max<std::size_t>(length, 1);
    clean = at;
  }
  out.append(text, clean);
  out += '"';
}

std::string json_string(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_quoted(out, text);
  return out;
}

std::string short_json_string(std::string_view text) {
  constexpr std::size_t kShownBytes = 64;  // A line of a terminal has room for the rest.
  if (text.size() <= kShownBytes) return json_string(text);
  return json_string(utf8_prefix(text, kShownBytes)) + "... (" + std::to_string(text.size()) +
         " bytes)";
}

JsonText& JsonText::raw(std::string_view key, std::string_view json) {
  if (text_.size() > 1) text_ += ',';
  if (!key.empty()) {
    append_quoted(text_, key);
    text_ += ':';
  }
  text_ += json;
  return *this;
}

JsonText& JsonText::texts(std::string_view key, const std::vector<std::string>& values) {
  JsonText list('[');
  for (const std::string& each : values) list.text("", each);
  return raw(key, list.str());
}

}  // namespace davit
