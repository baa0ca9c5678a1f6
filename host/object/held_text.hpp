/// One text of a stream that comes in pieces, such as an item of a list or an event of a watch.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "host/object/identity_scan.hpp"

namespace davit::host {

/// Holds the pieces of a text up to a limit. Beyond it the text is skipped, and only the identity
/// of the object is kept. Not thread-safe.
class HeldText {
 public:
  /// The outcome for a piece.
  enum class Outcome {
    kHeld,
    kPassedOver,
    kRefused,  ///< The text is beyond the limit and may not be passed over.
  };

  /// Texts are whole documents of this kind when they are passed over.
  explicit HeldText(IdentityScan::Root root) : root_(root) {}

  /// Takes the next piece. A text that is one piece, which is the last one then, is not copied.
  Outcome add(std::string_view piece, bool is_last, std::size_t bytes_max, bool may_pass_over) {
    if (!scan_) {
      if (pieces_.size() + piece.size() <= bytes_max) {
        if (!is_last || !pieces_.empty()) pieces_.append(piece);
        return Outcome::kHeld;
      }
      if (!may_pass_over) return Outcome::kRefused;
      scan_.emplace(root_);
      scan_->feed(pieces_);
      std::string().swap(pieces_);  // An assignment would keep the memory.
    }
    scan_->feed(piece);
    return Outcome::kPassedOver;
  }

  /// The text whose last piece was held.
  [[nodiscard]] std::string_view whole(std::string_view last_piece) const {
    return pieces_.empty() ? last_piece : std::string_view(pieces_);
  }
  /// The identity of an object whose text was skipped.
  [[nodiscard]] const IdentityScan& passed_over() const { return *scan_; }

  /// Forgets the text. The buffer of a huge one is given back.
  void clear() {
    scan_.reset();
    pieces_.clear();
    if (pieces_.capacity() > kBytesKept) pieces_.shrink_to_fit();
  }

 private:
  static constexpr std::size_t kBytesKept = std::size_t{256} << 10;

  IdentityScan::Root root_;
  std::optional<IdentityScan> scan_;  // While the text is passed over.
  std::string pieces_;
};

}  // namespace davit::host
