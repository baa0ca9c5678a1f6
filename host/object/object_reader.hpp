/// RapidJSON's events to a tape. Internal to host/object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "host/object/json_to_tape.hpp"
#include "host/object/object_space.hpp"
#include "host/object/parse.hpp"
#include "host/object/splice_stream.hpp"
#include "host/object/tape_writer.hpp"

namespace davit::host {

/// A RapidJSON handler. Decides at every key whether the member is kept, and takes what is not out
/// of the stream before it is read. One is kept for many documents.
class ObjectReader {
 public:
  using Ch = char;

  ObjectReader(ObjectSpace& space, TapeWriter& tape) : space_(space), tape_(tape) {}

  void begin(SpliceStream& stream, const ParseOptions& options, JsonRoot root) {
    stream_ = &stream;
    is_object_ = root == JsonRoot::kObject;
    depth_max_ = options.depth_max;
    levels_.clear();
    next_mask_ = options.keep_mask;
    dropping_ = 0;
    passing_over_ = false;
    error_text_ = nullptr;
  }
  /// Why an event function stopped the reader, or null.
  [[nodiscard]] const char* error_text() const { return error_text_; }
  [[nodiscard]] bool is_too_deep() const { return error_text_ == kTooDeep; }

  // RapidJSON's callbacks; false stops it.
  bool Null() {  // NOLINT(readability-identifier-naming)
    if (passing_over_) {
      passing_over_ = false;  // The stand-in.
      return true;
    }
    return scalar([&] { tape_.null(); });
  }
  bool Bool(bool value) {  // NOLINT(readability-identifier-naming)
    return scalar([&] { tape_.boolean(value); });
  }
  bool RawNumber(const Ch* text, unsigned size, bool) {  // NOLINT(readability-identifier-naming)
    return scalar([&] { tape_.number({text, size}); });
  }
  bool String(const Ch* text, unsigned size, bool) {  // NOLINT(readability-identifier-naming)
    return scalar([&] { tape_.string({text, size}); });
  }
  bool Key(const Ch* text, unsigned size, bool) {  // NOLINT(readability-identifier-naming)
    if (dropping_ > 0) return true;
    return key({text, size});
  }
  bool StartObject() {  // NOLINT(readability-identifier-naming)
    if (!enter(next_mask_)) return false;
    if (dropping_ == 0) tape_.begin_object();
    return true;
  }
  bool EndObject(unsigned) {  // NOLINT(readability-identifier-naming)
    if (dropping_ == 0) tape_.end_object();
    return leave();
  }
  bool StartArray() {  // NOLINT(readability-identifier-naming)
    if (!may_begin_value()) return false;
    if (!enter(space_.element_mask(next_mask_))) return false;
    if (dropping_ == 0) {
      tape_.begin_array();
      if (levels_.back() == kNothingMask) dropping_ = levels_.size();
    }
    next_mask_ = levels_.back();
    return true;
  }
  bool EndArray(unsigned) {  // NOLINT(readability-identifier-naming)
    if (dropping_ == levels_.size()) dropping_ = 0;
    if (dropping_ == 0) tape_.end_array();
    return leave();
  }
  // With numbers as text these never come.
  bool Int(int) { return false; }               // NOLINT(readability-identifier-naming)
  bool Uint(unsigned) { return false; }         // NOLINT(readability-identifier-naming)
  bool Int64(std::int64_t) { return false; }    // NOLINT(readability-identifier-naming)
  bool Uint64(std::uint64_t) { return false; }  // NOLINT(readability-identifier-naming)
  bool Double(double) { return false; }         // NOLINT(readability-identifier-naming)

 private:
  static constexpr const char* kTooDeep = "is nested too deeply";

  bool stop(const char* why) {
    error_text_ = why;
    return false;
  }

  bool may_begin_value() { return !is_object_ || !levels_.empty() || stop("is not an object"); }

  template <typename Write>
  bool scalar(Write&& write) {
    if (!may_begin_value()) return false;
    if (dropping_ == 0) write();
    return true;
  }

  bool enter(Mask inside) {
    if (levels_.size() >= depth_max_) return stop(kTooDeep);
    levels_.push_back(inside);
    return true;
  }

  bool leave() {
    levels_.pop_back();
    // Within an array the next element has this mask; within an object the next key sets it.
    if (!levels_.empty()) next_mask_ = levels_.back();
    return true;
  }

  bool key(std::string_view text) {
    const Mask mask = space_.member_mask(levels_.back(), text);
    const bool in_metadata = is_object_ && levels_.size() == 2 && is_metadata_;
    if (levels_.size() == 1) is_metadata_ = text == "metadata";
    if (mask == kNothingMask || (in_metadata && text == "managedFields")) {
      passing_over_ = stream_->splice_out_value();
      return passing_over_ || stop("has a member without a complete value");
    }
    next_mask_ = mask;
    tape_.key(space_.intern_data(text), text);
    return true;
  }

  ObjectSpace& space_;
  TapeWriter& tape_;
  SpliceStream* stream_ = nullptr;  // Borrowed during one parse.
  std::vector<Mask> levels_;        // One for each open object or array.
  std::size_t depth_max_ = 0;
  std::size_t dropping_ = 0;  // While inside an array that is not kept: its depth.
  Mask next_mask_ = kFullMask;
  bool is_object_ = true;
  bool is_metadata_ = false;   // Whether the root's member at hand is.
  bool passing_over_ = false;  // Whether the next value is the stand-in.
  const char* error_text_ = nullptr;
};

}  // namespace davit::host
