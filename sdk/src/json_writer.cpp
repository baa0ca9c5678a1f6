#include <charconv>
#include <davit/hex.hpp>
#include <davit/json_writer.hpp>

namespace davit {

void append_json_string(std::string& out, std::string_view text) {
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
        append_hex(out, c);
    }
  }
  out.append(text, clean);
  out.push_back('"');
}

JsonWriter& JsonWriter::key(std::string_view key) {
  separate();
  append_json_string(text_, key);
  text_.push_back(':');
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view value) {
  separate();
  append_json_string(text_, value);
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
  char buffer[24];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  static_cast<void>(error);  // 24 bytes hold every int64.
  return raw(std::string_view(buffer, static_cast<std::size_t>(end - buffer)));
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  text_.append(json);
  return *this;
}

JsonWriter& JsonWriter::value(Value value) {
  if (value.is_absent()) return null();
  separate();
  value.append_json(text_);
  return *this;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_.push_back(bracket);
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  text_.push_back(bracket);
  comma_ = true;
  return *this;
}

void JsonWriter::separate() {
  if (comma_) text_.push_back(',');
  comma_ = true;
}

}  // namespace davit
