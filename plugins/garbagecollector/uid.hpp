/// UIDs as the graph keeps them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "plugins/garbagecollector/text.hpp"

namespace davit::garbage {

/// A UID in 16 bytes: the bits of a UUID in its usual form, which those of the server have, else
/// the text, which anyone can write into an owner reference. Two are equal if their texts are.
class Uid {
 public:
  Uid() : high_(0), text_() {}
  explicit Uid(std::string_view text);
  Uid(const Uid& other) : high_(0), text_() { *this = other; }
  Uid& operator=(const Uid& other);
  ~Uid() {
    if (is_text()) text_.~Text();
  }

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::size_t hash() const;

  friend bool operator==(const Uid& a, const Uid& b) {
    if (a.high_ != b.high_) return false;
    return a.is_text() ? a.text_ == b.text_ : a.low_ == b.low_;
  }

 private:
  // A UUID whose first half is 0 is kept as text.
  [[nodiscard]] bool is_text() const { return high_ == 0; }

  std::uint64_t high_;
  union {
    std::uint64_t low_;
    Text text_;
  };
};

struct UidHash {
  std::size_t operator()(const Uid& uid) const { return uid.hash(); }
};

}  // namespace davit::garbage
