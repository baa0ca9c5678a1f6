/// Resource quantities: "500m", "1.5Gi", "2e3".
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace davit {

/// A number kept exactly in units of 10^-9. Finer digits are rounded away from zero, and numbers
/// beyond the range are capped, as upstream does.
class Quantity {
 public:
  /// Zero.
  Quantity() = default;
  /// Nothing if `text` is not a quantity.
  [[nodiscard]] static std::optional<Quantity> parse(std::string_view text);

  /// In thousandths, rounded up: CPUs.
  [[nodiscard]] std::int64_t milli() const {
    constexpr Wide kNanosPerMilli = 1'000'000;
    return static_cast<std::int64_t>(nanos_ > 0 ? divided_up(nanos_, kNanosPerMilli)
                                                : nanos_ / kNanosPerMilli);
  }

  /// Sums of many keep their exactness; only the range is capped.
  Quantity& operator+=(const Quantity& other) {
    nanos_ = std::clamp(nanos_ + other.nanos_, -kMax, kMax);
    return *this;
  }
  Quantity& operator-=(const Quantity& other) {
    nanos_ = std::clamp(nanos_ - other.nanos_, -kMax, kMax);
    return *this;
  }

  /// Numeric; the format does not matter.
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.nanos_ == b.nanos_; }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    if (a.nanos_ == b.nanos_) return std::strong_ordering::equal;
    return a.nanos_ < b.nanos_ ? std::strong_ordering::less : std::strong_ordering::greater;
  }

 private:
  // Holds 2^63-1, upstream's largest number, in units of 10^-9.
  __extension__ using Wide = __int128;

  static constexpr Wide kMax = static_cast<Wide>(INT64_MAX) * 1'000'000'000;

  /// A suffix as a factor: either 2^binary or 10^decimal.
  struct Scale {
    int binary = 0;
    int decimal = 0;
  };
  [[nodiscard]] static std::optional<Scale> parse_suffix(std::string_view suffix);
  [[nodiscard]] static std::optional<int> parse_exponent(std::string_view digits);
  [[nodiscard]] static Wide times_capped(Wide value, Wide factor) {
    return value > kMax / factor ? kMax : value * factor;
  }
  [[nodiscard]] static Wide divided_up(Wide value, Wide divisor) {
    return (value + divisor - 1) / divisor;
  }

  Wide nanos_ = 0;
};

inline std::optional<int> Quantity::parse_exponent(std::string_view digits) {
  const bool negative = !digits.empty() && digits.front() == '-';
  if (!digits.empty() && (digits.front() == '-' || digits.front() == '+')) digits.remove_prefix(1);
  constexpr std::size_t kDigitsMax = 4;  // Beyond any exponent that is not capped to 0 or the top.
  if (digits.empty() || digits.size() > kDigitsMax) return std::nullopt;
  int exponent = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    exponent = exponent * 10 + (c - '0');
  }
  return negative ? -exponent : exponent;
}

inline std::optional<Quantity::Scale> Quantity::parse_suffix(std::string_view suffix) {
  constexpr std::string_view kBinary = "KMGTPE";
  constexpr std::string_view kDecimal = "numkMGTPE";
  if (suffix.empty()) return Scale{};
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const std::size_t at = kBinary.find(suffix[0]);
    if (at == std::string_view::npos) return std::nullopt;
    return Scale{10 * (static_cast<int>(at) + 1), 0};
  }
  if (suffix.size() == 1) {
    const std::size_t at = kDecimal.find(suffix[0]);
    if (at == std::string_view::npos) return std::nullopt;
    const int step = static_cast<int>(at);
    return Scale{0, step < 3 ? 3 * (step - 3) : 3 * (step - 2)};  // n, u, m, then k upward.
  }
  if (suffix[0] != 'e' && suffix[0] != 'E') return std::nullopt;
  const std::optional<int> exponent = parse_exponent(suffix.substr(1));
  if (!exponent) return std::nullopt;
  return Scale{0, *exponent};
}

inline std::optional<Quantity> Quantity::parse(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  Wide digits = 0;
  int shift = 9;  // Decimal places from `digits` to units of 10^-9.
  bool any = false;
  bool point = false;
  bool lost = false;  // Digits finer than can be kept.
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !point) {
      point = true;
      continue;
    }
    if (text[i] < '0' || text[i] > '9') break;
    any = true;
    if (point && digits > kMax / 1000) {
      lost = lost || text[i] != '0';
      continue;
    }
    digits = times_capped(digits, 10) + (text[i] - '0');
    shift -= point ? 1 : 0;
  }
  const std::optional<Scale> scale = parse_suffix(text.substr(i));
  if (!any || !scale) return std::nullopt;
  for (int bit = 0; bit < scale->binary; ++bit) digits = times_capped(digits, 2);
  for (shift += scale->decimal; shift > 0 && digits != 0 && digits < kMax; --shift) {
    digits = times_capped(digits, 10);
  }
  for (; shift < 0 && digits > 1; ++shift) digits = divided_up(digits, 10);
  if (lost) digits += 1;
  Quantity quantity;
  quantity.nanos_ = digits > kMax ? kMax : digits;
  if (negative) quantity.nanos_ = -quantity.nanos_;
  return quantity;
}

}  // namespace davit
