/// Compares JSON text with a value, without a snapshot of the text.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <davit/object.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace davit {
namespace detail {

/// Reads a JSON text from its beginning; each function compares what it reads.
class JsonComparison {
 public:
  explicit JsonComparison(std::string_view text) : text_(text) {}

  /// Whether the next value of the text equals `live`. False for malformed text.
  bool equals(Value live, std::size_t depth = 0) {
    skip_space();
    if (text_.empty() || depth > kDepthMax) return false;
    switch (text_.front()) {
      case '{':
        return object_equals(live, depth + 1);
      case '[':
        return array_equals(live, depth + 1);
      case '"':
        return string(live.text());
      default:
        return word_equals(live);
    }
  }
  [[nodiscard]] bool at_end() {
    skip_space();
    return text_.empty();
  }

 private:
  static constexpr std::size_t kDepthMax = 128;  // The host's objects are not deeper.

  void skip_space() {
    const std::size_t begin = text_.find_first_not_of(" \t\r\n");
    text_.remove_prefix(begin == std::string_view::npos ? text_.size() : begin);
  }
  bool take(char c) {
    skip_space();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  bool object_equals(Value live, std::size_t depth) {
    std::size_t count = 0;
    take('{');
    while (!take('}')) {
      if (count > 0 && !take(',')) return false;
      std::string key;
      if (!read_string(key) || !take(':')) return false;
      const Value member = live[std::string_view(key)];
      if (!member || !equals(member, depth)) return false;
      ++count;
    }
    return live.kind() == Kind::kObject && live.count() == count;
  }
  bool array_equals(Value live, std::size_t depth) {
    std::size_t count = 0;
    take('[');
    while (!take(']')) {
      if (count > 0 && !take(',')) return false;
      const Value element = live.at(count++);
      if (!element || !equals(element, depth)) return false;
    }
    return live.kind() == Kind::kArray && live.count() == count;
  }
  bool string(std::optional<std::string_view> live) {
    std::string text;
    return read_string(text) && live == text;
  }
  /// A number, true, false or null.
  bool word_equals(Value live) {
    const std::size_t end = std::min(text_.find_first_of(",]} \t\r\n"), text_.size());
    const std::string_view word = text_.substr(0, end);
    text_.remove_prefix(end);
    if (word == "null") return live.kind() == Kind::kNull;
    if (word == "true" || word == "false") return live.boolean() == (word == "true");
    return live.number() == word || number_equals(word, live.number());
  }
  static bool number_equals(std::string_view a, std::string_view b) {
    double x = 0;
    double y = 0;
    const auto [end_a, error_a] = std::from_chars(a.data(), a.data() + a.size(), x);
    const auto [end_b, error_b] = std::from_chars(b.data(), b.data() + b.size(), y);
    return !b.empty() && error_a == std::errc() && error_b == std::errc() &&
           end_a == a.data() + a.size() && end_b == b.data() + b.size() && x == y;
  }

  bool read_string(std::string& out) {
    if (!take('"')) return false;
    while (!text_.empty()) {
      const char c = text_.front();
      text_.remove_prefix(1);
      if (c == '"') return true;
      if (c != '\\') {
        out.push_back(c);
      } else if (!read_escape(out)) {
        return false;
      }
    }
    return false;
  }
  bool read_escape(std::string& out) {
    if (text_.empty()) return false;
    const char c = text_.front();
    text_.remove_prefix(1);
    constexpr std::string_view kShort = "\"\\/bfnrt";
    constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
    if (const std::size_t at = kShort.find(c); at != std::string_view::npos) {
      out.push_back(kMeant[at]);
      return true;
    }
    std::uint32_t point = 0;
    if (c != 'u' || !read_unit(point)) return false;
    if (point >= 0xd800 && point < 0xdc00) {
      std::uint32_t low = 0;
      if (!text_.starts_with("\\u")) return false;
      text_.remove_prefix(2);
      if (!read_unit(low) || low < 0xdc00 || low > 0xdfff) return false;
      point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
    }
    append_utf8(point, out);
    return true;
  }
  bool read_unit(std::uint32_t& out) {
    if (text_.size() < 4) return false;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + 4, out, 16);
    const bool whole = error == std::errc() && end == text_.data() + 4;
    text_.remove_prefix(4);
    return whole;
  }
  static void append_utf8(std::uint32_t point, std::string& out) {
    const auto tail = [&](int shift) {
      out.push_back(static_cast<char>(0x80 | ((point >> shift) & 0x3f)));
    };
    if (point < 0x80) {
      out.push_back(static_cast<char>(point));
    } else if (point < 0x800) {
      out.push_back(static_cast<char>(0xc0 | (point >> 6)));
      tail(0);
    } else if (point < 0x10000) {
      out.push_back(static_cast<char>(0xe0 | (point >> 12)));
      tail(6);
      tail(0);
    } else {
      out.push_back(static_cast<char>(0xf0 | (point >> 18)));
      tail(12);
      tail(6);
      tail(0);
    }
  }

  std::string_view text_;
};

}  // namespace detail

/// Whether `json` has the content of `live`: members in any order, numbers by value. False for
/// malformed text; "null" equals absence.
[[nodiscard]] inline bool json_equal(std::string_view json, Value live) {
  if (live.is_absent()) return json == "null";
  detail::JsonComparison comparison(json);
  return comparison.equals(live) && comparison.at_end();
}

}  // namespace davit
