/// One message of a stream that comes in pieces and whose size is known from its first byte on.
/// Internal to host/object.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace davit::host {

/// Holds a message up to a limit; only the beginning of a larger one, which has the identity of its
/// object. Not thread-safe.
class HeldBytes {
 public:
  /// Room for the metadata of an object that is passed over.
  static constexpr std::size_t kHeadBytes = std::size_t{64} << 10;

  /// Begins a message of `size` bytes, of which at most `kept` are needed.
  void begin(std::uint64_t size, std::uint64_t kept) {
    left_ = size;
    wanted_ = std::min(size, kept);
    begun_ = false;
  }

  /// Takes what belongs to the message from the beginning of `chunk`; returns how much that was. A
  /// message that lies within one chunk is not copied.
  std::size_t feed(std::string_view chunk) {
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), left_));
    const bool is_whole = !begun_ && taken == left_;
    left_ -= taken;
    begun_ = true;
    const std::string_view piece = chunk.substr(0, taken);
    if (is_whole) {
      view_ = piece.substr(0, static_cast<std::size_t>(wanted_));
      return taken;
    }
    held_.append(piece.substr(
        0, static_cast<std::size_t>(wanted_) - std::min<std::size_t>(wanted_, held_.size())));
    view_ = held_;
    return taken;
  }

  [[nodiscard]] bool is_complete() const { return left_ == 0; }
  /// The message, or the needed part of it, once it is complete.
  [[nodiscard]] std::string_view bytes() const { return view_; }

  /// Forgets the message. The buffer of a large one is given back: the next one that is cut may be
  /// long in coming, as on most watches.
  void clear() {
    view_ = {};
    held_.clear();
    if (held_.capacity() > kBytesKept) held_.shrink_to_fit();
  }

 private:
  static constexpr std::size_t kBytesKept = std::size_t{1} << 10;

  std::uint64_t left_ = 0;
  std::uint64_t wanted_ = 0;
  bool begun_ = false;
  std::string held_;
  std::string_view view_;
};

}  // namespace davit::host
