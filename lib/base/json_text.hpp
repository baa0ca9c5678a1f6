/// Builds the JSON text of small bodies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace davit {

/// Appends `text` as a JSON string with quotes. Bytes that are not UTF-8 become U+FFFD, so that the
/// result is valid. Control characters are escaped, including U+007F to U+009F, which terminals
/// interpret.
void append_quoted(std::string& out, std::string_view text);

/// `text` as a JSON string with quotes.
[[nodiscard]] std::string json_string(std::string_view text);

/// Like json_string(), for messages: shows only the beginning and the length of a long text.
[[nodiscard]] std::string short_json_string(std::string_view text);

/// One JSON object or array, built member by member. `str` may be called at any time. In an array,
/// keys are empty.
class JsonText {
 public:
  /// `open` is '{' or '['.
  explicit JsonText(char open) : close_(open == '{' ? '}' : ']'), text_(1, open) {}

  /// Adds a value that is already JSON text.
  JsonText& raw(std::string_view key, std::string_view json);
  JsonText& text(std::string_view key, std::string_view value) {
    return raw(key, json_string(value));
  }
  JsonText& texts(std::string_view key, const std::vector<std::string>& values);
  template <typename Number>
  JsonText& number(std::string_view key, Number value) {
    return raw(key, std::to_string(value));
  }
  JsonText& boolean(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  [[nodiscard]] std::string str() const { return text_ + close_; }

 private:
  const char close_;
  std::string text_;
};

}  // namespace davit
