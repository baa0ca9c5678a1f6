/// Text of which a million copies are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace davit::garbage {

/// Immutable text that takes one pointer, and that its copies share. Not thread-safe: copies of one
/// text belong to one thread or lock.
class Text {
 public:
  Text() = default;  ///< Empty, without memory.
  explicit Text(std::string_view text);
  Text(const Text& other) noexcept : block_(other.block_) {
    if (block_ != nullptr) ++block_->users;
  }
  Text(Text&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Text& operator=(Text other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Text();

  /// Valid as long as one of the copies.
  [[nodiscard]] std::string_view view() const;
  /// Whether there is another copy.
  [[nodiscard]] bool is_shared() const { return block_ != nullptr && block_->users > 1; }

  friend bool operator==(const Text& a, const Text& b) {
    return a.block_ == b.block_ || a.view() == b.view();
  }

 private:
  /// The head of an allocation; the characters follow it.
  struct Block {
    std::uint32_t users;
    std::uint32_t size;
  };

  Block* block_ = nullptr;  // Null: empty.
};

/// Keeps one Text of all that are equal. Those without another copy go when the pool has doubled
/// since it last looked. Not thread-safe.
class TextPool {
 public:
  [[nodiscard]] Text of(std::string_view text);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
    std::size_t operator()(const Text& text) const { return (*this)(text.view()); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Text& a, const Text& b) const { return a == b; }
    bool operator()(const Text& a, std::string_view b) const { return a.view() == b; }
    bool operator()(std::string_view a, const Text& b) const { return a == b.view(); }
  };
  static constexpr std::size_t kLookMin = 64;

  std::unordered_set<Text, Hash, Equal> texts_;
  std::size_t look_at_ = kLookMin;  // The size at which unused ones go.
};

}  // namespace davit::garbage
