/// JsonWriter: builds the JSON text of request bodies.
#pragma once

#include <cstdint>
#include <davit/object.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace davit {

/// Appends `text` as a JSON string with its quotes. UTF-8 passes through unchanged.
void append_json_string(std::string& out, std::string_view text);

/// Writes one JSON text and places the commas. The caller must balance begin and end and write a
/// key before each member's value; the writer does not check this.
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
  JsonWriter& key(std::string_view key);

  JsonWriter& string(std::string_view value);
  JsonWriter& integer(std::int64_t value);
  JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonWriter& null() { return raw("null"); }
  /// Inserts text that is already JSON.
  JsonWriter& raw(std::string_view json);
  /// Inserts a value unchanged, including unknown fields; null if it is absent.
  JsonWriter& value(Value value);

  JsonWriter& member(std::string_view name, std::string_view value) {
    return key(name).string(value);
  }
  JsonWriter& member(std::string_view name, const char* value) { return key(name).string(value); }
  JsonWriter& member(std::string_view name, std::int64_t value) { return key(name).integer(value); }
  JsonWriter& member(std::string_view name, int value) { return key(name).integer(value); }
  JsonWriter& member(std::string_view name, bool value) { return key(name).boolean(value); }
  /// Writes nothing if the value is absent.
  JsonWriter& member(std::string_view name, Value value) {
    return value.is_absent() ? *this : key(name).value(value);
  }

  [[nodiscard]] const std::string& text() const& { return text_; }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();

  std::string text_;
  bool comma_ = false;  // Whether the next value needs a comma before it.
};

}  // namespace davit
