/// Builds a tape from the events of a reader of JSON or protobuf. Internal to host/object.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/object/tape.hpp"

namespace davit::host {

/// A tape is never longer than this times its JSON text.
inline constexpr std::size_t kTapeBytesPerJsonByte = 2;
/// The buffers of readers and tapes grow with the objects; those of a larger one are not kept.
inline constexpr std::size_t kKeptBytesMax = std::size_t{1} << 20;

/// Reused from object to object; keeps its buffers. Calls must nest as JSON does.
class TapeWriter {
 public:
  /// `space` is where the names of key() come from; it must outlive the writer.
  explicit TapeWriter(const ObjectSpace& space) : space_(space) {}

  /// Tapes up to this size need fewer bytes for sizes.
  static constexpr std::size_t kNarrowBytesMax = 0xffff;

  /// Begins a new tape of at most `bytes_max` bytes.
  void begin(std::size_t bytes_max);
  /// Whether the tape is longer than begin() promised. Its sizes are wrong then, so that nothing
  /// but begin() may follow.
  [[nodiscard]] bool is_too_long() const { return !wide_ && bytes_.size() > kNarrowBytesMax; }

  /// Gives the buffers back.
  void release();

  void null() { put_tag(tape::Tag::kNull, 0); }
  void boolean(bool value) { put_tag(value ? tape::Tag::kTrue : tape::Tag::kFalse, 0); }
  void number(std::string_view text) { put_text(tape::Tag::kNumber, text); }
  void string(std::string_view text);
  void begin_array() { open(tape::Tag::kArray); }
  void end_array() { close(); }
  void begin_object() { open(tape::Tag::kObject); }
  /// A member's key; `name` is 0 when it has none.
  void key(davit_name name, std::string_view text);
  /// The last of duplicate keys wins.
  void end_object();
  /// Ends an object whose keys are known to differ.
  void end_struct() { close(); }

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  [[nodiscard]] const tape::Byte* base() const {
    return reinterpret_cast<const tape::Byte*>(bytes_.data());
  }

 private:
  struct Level {
    std::uint32_t start;  // Offset of its tag.
    std::uint32_t count;  // Entries so far.
    bool is_object;
  };
  /// A string that was written before, so that the same text can refer to it.
  struct Seen {
    std::uint32_t offset;
    std::uint32_t round;  // The round of begin() that made it; an entry of an older one is void.
    std::uint32_t hash;
  };
  struct KeyAt {
    davit_name name;        // 0 when the key stands inline.
    std::string_view text;  // Only then, until the keys are sorted.
    std::size_t offset;
  };
  static constexpr std::size_t kSeen = 128;
  /// Shorter strings take no more room than a reference.
  static constexpr std::size_t kReferredMin = 5;

  void open(tape::Tag tag);
  void close();
  void count_element();
  void put_tag(tape::Tag tag, unsigned extra);
  void put_text(tape::Tag tag, std::string_view text);
  bool put_reference(std::string_view text);
  void replace_duplicates(Level& level);
  void collect_keys(const Level& level);
  void mark_replaced(Level& level, std::size_t offset);
  template <typename T>
  void put(T number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }

  const ObjectSpace& space_;
  std::string bytes_;
  std::vector<Level> levels_;
  std::array<Seen, kSeen> seen_{};
  std::vector<KeyAt> keys_;  // Scratch of replace_duplicates().
  std::uint32_t round_ = 0;
  bool wide_ = false;
};

}  // namespace davit::host
