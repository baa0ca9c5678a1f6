/// Finding the end of a JSON value without reading it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace davit::host {

/// Finds where one JSON value ends, in text that may arrive in pieces. Looks at 64 bytes at a time.
/// Checks only that strings end and that as many brackets close as open; the inside may be
/// anything. Plain state, cheap to copy.
class ValueScanner {
 public:
  /// Begins a new value whose first byte is `first`: a brace, bracket or quote, else a number or
  /// literal.
  void start(char first);

  /// Looks at [begin, end), the first byte of which is the value's first after start(). Returns the
  /// place just behind the value, or null when it continues beyond `end`. A number or literal ends
  /// before the first byte that cannot be part of one, so text that ends with it is never complete.
  const char* feed(const char* begin, const char* end);

 private:
  enum class Mode : std::uint8_t { kScalar, kString, kNested };
  const char* feed_scalar(const char* begin, const char* end);
  const char* feed_string(const char* begin, const char* end);
  const char* feed_nested(const char* begin, const char* end);
  const char* feed_block(const char* block, std::size_t used);

  Mode mode_ = Mode::kScalar;
  bool in_string_ = false;
  bool escaped_ = false;  // The next byte follows a backslash.
  bool started_ = false;
  std::uint64_t depth_ = 0;
};

/// The first place at or after `begin` that is not JSON white space.
[[nodiscard]] const char* skip_space(const char* begin, const char* end);

/// The first place at or after `begin`, inside a string, that is not a plain character: a quote, a
/// backslash, a control character or a byte beyond ASCII.
[[nodiscard]] const char* skip_plain(const char* begin, const char* end);

/// The position behind the value that begins at `begin`, which is not white space; null if the text
/// ends within it. `end` ends a number or literal.
[[nodiscard]] const char* skip_value(const char* begin, const char* end);

/// Walks the members of one JSON object as text.
///     MemberWalk walk(text);
///     while (walk.next()) use(walk.key(), walk.value());
///     if (!walk.ok()) …
/// Keys and values are views into the text, as written there: strings keep their quotes and
/// escapes.
class MemberWalk {
 public:
  explicit MemberWalk(std::string_view object);
  /// Goes to the next member; false at the end and when the text is malformed.
  bool next();
  [[nodiscard]] std::string_view key() const { return key_; }  ///< Without its quotes.
  [[nodiscard]] std::string_view value() const { return value_; }
  /// Whether the text was a complete object with nothing behind it; valid once next() said false.
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  const char* at_;
  const char* end_;
  std::string_view key_;
  std::string_view value_;
  bool first_ = true;
  bool ok_ = false;
};

}  // namespace davit::host
