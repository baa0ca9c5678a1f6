/// JsonWriter: builds the JSON text of request bodies.
#pragma once

#include <charconv>
#include <cstdint>
#include <davit/object.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace davit {

/// Appends `text` as a JSON string with its quotes. UTF-8 passes through unchanged.
inline void append_json_string(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  out.push_back('"');
  std::size_t clean = 0;  // Everything before it is written.
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text, clean, i - clean);
    clean = i + 1;
    switch (c) {
      case '"':
        out.append("\\\"");
        break;
      case '\\':
        out.append("\\\\");
        break;
      case '\n':
        out.append("\\n");
        break;
      case '\r':
        out.append("\\r");
        break;
      case '\t':
        out.append("\\t");
        break;
      default:
        out.append("\\u00");
        out.push_back(kHex[c >> 4]);
        out.push_back(kHex[c & 0xf]);
    }
  }
  out.append(text, clean);
  out.push_back('"');
}

/// Writes one JSON text, placing the commas. The caller keeps begin and end in balance and writes a
/// key before each member's value; nothing else is checked.
///
///     JsonWriter body;
///     body.begin_object().key("metadata").begin_object().member("uid", pod.uid()).end_object();
///     body.end_object();
///     client.patch<Pod>(pod.key(), PatchType::kMerge, body.text());
class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }

  /// The key of the member whose value is written next.
  JsonWriter& key(std::string_view key) {
    separate();
    append_json_string(text_, key);
    text_.push_back(':');
    comma_ = false;
    return *this;
  }

  JsonWriter& string(std::string_view value) {
    separate();
    append_json_string(text_, value);
    return *this;
  }
  JsonWriter& integer(std::int64_t value) {
    char buffer[24];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
    static_cast<void>(error);  // 24 bytes hold every int64.
    return raw(std::string_view(buffer, static_cast<std::size_t>(end - buffer)));
  }
  JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonWriter& null() { return raw("null"); }
  /// Splices text that is JSON already.
  JsonWriter& raw(std::string_view json) {
    separate();
    text_.append(json);
    return *this;
  }
  /// Splices a value unchanged, unknown fields included; null when it is absent.
  JsonWriter& value(Value value) {
    if (value.is_absent()) return null();
    separate();
    value.append_json(text_);
    return *this;
  }

  JsonWriter& member(std::string_view name, std::string_view value) {
    return key(name).string(value);
  }
  JsonWriter& member(std::string_view name, const char* value) { return key(name).string(value); }
  JsonWriter& member(std::string_view name, std::int64_t value) { return key(name).integer(value); }
  JsonWriter& member(std::string_view name, int value) { return key(name).integer(value); }
  JsonWriter& member(std::string_view name, bool value) { return key(name).boolean(value); }
  /// Nothing is written when the value is absent.
  JsonWriter& member(std::string_view name, Value value) {
    return value.is_absent() ? *this : key(name).value(value);
  }

  [[nodiscard]] const std::string& text() const& { return text_; }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  JsonWriter& open(char bracket) {
    separate();
    text_.push_back(bracket);
    comma_ = false;
    return *this;
  }
  JsonWriter& close(char bracket) {
    text_.push_back(bracket);
    comma_ = true;
    return *this;
  }
  void separate() {
    if (comma_) text_.push_back(',');
    comma_ = true;
  }

  std::string text_;
  bool comma_ = false;  // Whether what follows needs a comma before it.
};

}  // namespace davit
