/// The input of RapidJSON's reader, with a way to make it pass over a value. Internal to
/// host/object.
#pragma once

#include <cstddef>
#include <string_view>

#include "host/object/json_scan.hpp"

namespace davit::host {

/// A RapidJSON input stream over text in memory. splice_out_value(), called while the reader is
/// just behind a key, makes the reader see ":null" in place of the colon and value that follow,
/// without looking at them. That costs the reader nothing elsewhere: switching between the text and
/// the stand-in happens where the end of the input is checked anyway.
class SpliceStream {
 public:
  using Ch = char;  // NOLINT(readability-identifier-naming): RapidJSON requires these names.

  explicit SpliceStream(std::string_view text)
      : at_(text.data()), end_(text.data() + text.size()), begin_(at_), text_end_(end_) {}

  /// False if there is no value or the text ends within it; nothing has changed then.
  bool splice_out_value() {
    const char* value = skip_space(at_, end_);
    if (value == end_ || *value != ':') return false;
    value = skip_space(value + 1, end_);
    constexpr std::string_view kFirst = "{[\"-0123456789tfn";
    if (value == end_ || kFirst.find(*value) == std::string_view::npos) return false;
    const char* behind = skip_value(value, end_);
    if (behind == nullptr) return false;
    resume_ = behind;
    at_ = kStandIn.data();
    end_ = at_ + kStandIn.size();
    return true;
  }

  /// Takes the plain characters of a string that come next; see skip_plain().
  std::string_view take_plain() {
    const char* begin = at_;
    at_ = skip_plain(at_, end_);
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }

  /// Whether all of the text was read.
  [[nodiscard]] bool at_end() const { return at_ == text_end_; }

  // RapidJSON's interface.
  Ch Peek() const {  // NOLINT(readability-identifier-naming)
    if (at_ == end_ && !resume()) return '\0';
    return *at_;
  }
  Ch Take() {  // NOLINT(readability-identifier-naming)
    if (at_ == end_ && !resume()) return '\0';
    return *at_++;
  }
  [[nodiscard]] std::size_t Tell() const {  // NOLINT(readability-identifier-naming)
    return static_cast<std::size_t>((resume_ == nullptr ? at_ : resume_) - begin_);
  }
  // Only for parsing in place.
  Ch* PutBegin() { return nullptr; }     // NOLINT(readability-identifier-naming)
  void Put(Ch) {}                        // NOLINT(readability-identifier-naming)
  void Flush() {}                        // NOLINT(readability-identifier-naming)
  std::size_t PutEnd(Ch*) { return 0; }  // NOLINT(readability-identifier-naming)

 private:
  static constexpr std::string_view kStandIn = ":null";

  bool resume() const {
    if (resume_ == nullptr || resume_ == text_end_) return false;
    at_ = resume_;
    end_ = text_end_;
    resume_ = nullptr;
    return true;
  }

  // Peek() is const for RapidJSON, and may still have to leave the stand-in.
  mutable const char* at_;
  mutable const char* end_;
  mutable const char* resume_ =
      nullptr;  // The position at which the text continues after the stand-in.
  const char* begin_;
  const char* text_end_;
};

}  // namespace davit::host
