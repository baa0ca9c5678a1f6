/// JSON text written by hand, for small bodies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace davit {

/// Appends `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, so that
/// the result is valid; control characters are escaped, those of U+007F to U+009F too, which
/// terminals obey.
void append_quoted(std::string& out, std::string_view text);

/// `text` as a JSON string with its quotes.
[[nodiscard]] std::string json_string(std::string_view text);

/// As json_string(), for messages: of a long text the beginning and its length.
[[nodiscard]] std::string short_json_string(std::string_view text);

/// One JSON object or array, built member by member. `str` may be called at any time; keys are left
/// empty in an array.
class JsonText {
 public:
  /// `open` is '{' or '['.
  explicit JsonText(char open) : close_(open == '{' ? '}' : ']'), text_(1, open) {}

  /// A value that is JSON text already.
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
