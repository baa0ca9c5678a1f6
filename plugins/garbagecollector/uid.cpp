#include "plugins/garbagecollector/uid.hpp"

#include <davit/hex.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace davit::garbage {
namespace {

constexpr std::size_t kUuidSize = 36;

constexpr bool is_hyphen_at(std::size_t i) { return i == 8 || i == 13 || i == 18 || i == 23; }

/// The value of a digit in lower case; above 15 for any other character.
constexpr unsigned digit_of(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  return c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10 : 16;
}

/// The two halves of a UUID in its usual form.
std::optional<std::pair<std::uint64_t, std::uint64_t>> parse_uuid(std::string_view text) {
  if (text.size() != kUuidSize) return std::nullopt;
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  for (std::size_t i = 0; i < kUuidSize; ++i) {
    if (is_hyphen_at(i)) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const unsigned digit = digit_of(text[i]);
    if (digit > 15) return std::nullopt;
    high = high << 4 | low >> 60;
    low = low << 4 | digit;
  }
  return std::pair(high, low);
}

}  // namespace

Uid::Uid(std::string_view text) : Uid() {
  const auto halves = parse_uuid(text);
  if (halves && halves->first != 0) {
    text_.~Text();
    high_ = halves->first;
    low_ = halves->second;
  } else {
    text_ = Text(text);
  }
}

Uid& Uid::operator=(const Uid& other) {
  if (this == &other) return *this;
  if (is_text()) text_.~Text();
  high_ = other.high_;
  if (is_text()) {
    std::construct_at(&text_, other.text_);
  } else {
    low_ = other.low_;
  }
  return *this;
}

std::string Uid::text() const {
  if (is_text()) return std::string(text_.view());
  std::string out(kUuidSize, '-');
  std::uint64_t high = high_;
  std::uint64_t low = low_;
  for (std::size_t i = kUuidSize; i-- > 0;) {
    if (is_hyphen_at(i)) continue;
    out[i] = hex_digits()[low & 15U];
    low = low >> 4 | high << 60;
    high >>= 4;
  }
  return out;
}

std::size_t Uid::hash() const {
  if (is_text()) return std::hash<std::string_view>()(text_.view());
  const std::uint64_t halves[] = {high_, low_};
  const auto* const bytes = static_cast<const char*>(static_cast<const void*>(halves));
  return std::hash<std::string_view>()({bytes, sizeof halves});
}

}  // namespace davit::garbage
