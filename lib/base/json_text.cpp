#include "lib/base/json_text.hpp"

#include <cstddef>

#include "lib/base/utf8.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

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
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) {
      out += kReplacement;
      ++at;
      continue;
    }
    const auto next = static_cast<unsigned char>(length == 2 ? text[at + 1] : '\0');
    if (c < 0x20 || c == 0x7F) {
      append_control(out, c);
    } else if (c == 0xC2 && next < 0xA0 && length == 2) {
      append_control(out, next);  // U+0080 to U+009F: terminals obey them too.
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

JsonText& JsonText::raw(std::string_view key, std::string_view json) {
  if (text_.size() > 1) text_ += ',';
  if (!key.empty()) {
    append_json_string(text_, key);
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

}  // namespace davit::host
