/// Resource quantities: "500m", "1.5Gi", "2e3". All reading of their text is here; the text that is
/// written is in amount.hpp.
#pragma once

#include <algorithm>
#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit {

/// The notation of a text, which its canonical form keeps.
enum class QuantityFormat : std::uint8_t { kDecimal, kBinary, kExponent };

/// The text of a quantity in an object, which may be a string or a number. `V` is Value, or a type
/// that reads another tree in the same way.
template <typename V>
[[nodiscard]] std::string_view quantity_source(const V& value) {
  const std::optional<std::string_view> text = value.text();
  return text ? *text : value.number();
}

/// The value of a quantity's text: value * 10^decimal * 2^binary, and slightly more if `lost`.
struct QuantityParts {
  __extension__ using Wide = unsigned __int128;

  static constexpr std::uint64_t kNanosPerOne = 1'000'000'000;
  /// 2^63-1, upstream's largest number, in units of 10^-9.
  static constexpr Wide kNanosMax = static_cast<Wide>(INT64_MAX) * kNanosPerOne;

  bool negative = false;
  Wide value = 0;
  std::int64_t decimal = 0;
  int binary = 0;
  bool lost = false;
  QuantityFormat format = QuantityFormat::kDecimal;

  /// The absolute value in units of 10^-9. Finer digits are rounded up; values beyond kNanosMax are
  /// capped.
  [[nodiscard]] Wide nanos() const;
};

/// Like resource.ParseQuantity: space is refused, and a suffix without digits is zero. kInvalid
/// with upstream's message if `text` is not a quantity.
[[nodiscard]] Result<QuantityParts> parse_quantity(std::string_view text);

/// A number in units of 10^-9, stored exactly. Finer digits are rounded away from zero, and numbers
/// beyond 2^63-1 are capped.
class Quantity {
 public:
  __extension__ using Wide = __int128;

  /// Zero.
  Quantity() = default;
  /// The number that parse_quantity() has read.
  explicit Quantity(const QuantityParts& parts) : nanos_(static_cast<Wide>(parts.nanos())) {
    if (parts.negative) nanos_ = -nanos_;
  }
  /// Nothing if `text` is not a quantity.
  [[nodiscard]] static std::optional<Quantity> parse(std::string_view text) {
    const Result<QuantityParts> parts = parse_quantity(text);
    return parts ? std::optional(Quantity(*parts)) : std::nullopt;
  }
  /// Reads quantity_source(value).
  template <typename V>
  [[nodiscard]] static std::optional<Quantity> read(const V& value) {
    return parse(quantity_source(value));
  }
  /// An integer.
  [[nodiscard]] static Quantity whole(std::int64_t number) { return of_nanos(number * kOne); }
  /// A number of thousandths.
  [[nodiscard]] static Quantity of_milli(std::int64_t number) {
    return of_nanos(number * kNanosPerMilli);
  }
  /// A number of units of 10^-9.
  [[nodiscard]] static Quantity of_nanos(Wide number) {
    Quantity out;
    out.nanos_ = std::clamp(number, -kMax, kMax);
    return out;
  }

  /// In thousandths, as for CPUs; rounded up and capped to 64 bits.
  [[nodiscard]] std::int64_t milli() const {
    const Wide up = nanos_ > 0 ? kNanosPerMilli - 1 : 0;  // Division rounds negative numbers up.
    return static_cast<std::int64_t>(
        std::clamp<Wide>((nanos_ + up) / kNanosPerMilli, -INT64_MAX, INT64_MAX));
  }

  /// The integer; nothing if the number has a fraction or was capped.
  [[nodiscard]] std::optional<std::int64_t> integer() const {
    if (nanos_ % kOne != 0 || nanos_ >= kMax || nanos_ <= -kMax) return std::nullopt;
    return static_cast<std::int64_t>(nanos_ / kOne);
  }
  /// In units of 10^-9.
  [[nodiscard]] Wide nanos() const { return nanos_; }
  /// The next integer that is not smaller.
  [[nodiscard]] Quantity rounded_up() const {
    const Wide rest = nanos_ % kOne;
    return of_nanos(nanos_ - rest + (rest > 0 ? kOne : 0));
  }
  /// The nearest double.
  [[nodiscard]] double approximate() const {
    return static_cast<double>(nanos_) / static_cast<double>(QuantityParts::kNanosPerOne);
  }

  /// Sums stay exact; only the range is capped.
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
  static constexpr Wide kOne = QuantityParts::kNanosPerOne;
  static constexpr Wide kNanosPerMilli = 1'000'000;
  static constexpr Wide kMax = static_cast<Wide>(QuantityParts::kNanosMax);

  Wide nanos_ = 0;
};

namespace detail {

/// Removes digits with at most one point from the front of `text`; returns whether there were any
/// digits.
inline bool take_quantity_number(std::string_view& text, QuantityParts& parts) {
  constexpr int kDigitsMax = 28;  // As in kNanosMax: further digits are too fine or out of range.
  bool point = false;
  int digits = 0;
  bool any = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !point) {
      point = true;
      continue;
    }
    if (text[i] < '0' || text[i] > '9') break;
    any = true;
    if (digits == kDigitsMax) {
      parts.lost = parts.lost || text[i] != '0';
      parts.decimal += point ? 0 : 1;
      continue;
    }
    parts.value = parts.value * 10 + static_cast<unsigned>(text[i] - '0');
    digits += parts.value != 0 ? 1 : 0;
    parts.decimal -= point ? 1 : 0;
  }
  text.remove_prefix(i);
  return any;
}

/// Reads the text after the "e" like strconv.ParseInt: a sign, and digits that fit into 64 bits.
inline bool take_quantity_exponent(std::string_view digits, QuantityParts& parts) {
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t exponent = 0;
  const char* end = digits.data() + digits.size();
  const auto [last, error] = std::from_chars(digits.data(), end, exponent);
  if (error != std::errc() || last != end) return false;
  // Upstream's scales have 32 bits. A text with enough digits to compensate for more would not fit
  // into memory.
  parts.decimal += std::clamp<std::int64_t>(exponent, INT32_MIN, INT32_MAX);
  parts.format = QuantityFormat::kExponent;
  return true;
}

inline bool take_quantity_suffix(std::string_view suffix, QuantityParts& parts) {
  constexpr std::string_view kBinary = "KMGTPE";
  constexpr std::string_view kDecimal = "num kMGTPE";  // In steps of 1000 from 10^-9.
  if (suffix.empty()) return true;
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const std::size_t step = kBinary.find(suffix[0]);
    if (step == std::string_view::npos) return false;
    parts.binary = 10 * (static_cast<int>(step) + 1);
    parts.format = QuantityFormat::kBinary;
    return true;
  }
  if (suffix.size() == 1) {
    const std::size_t step = kDecimal.find(suffix[0]);
    if (step == std::string_view::npos || suffix[0] == ' ') return false;
    parts.decimal += 3 * (static_cast<int>(step) - 3);
    return true;
  }
  return (suffix[0] == 'e' || suffix[0] == 'E') && take_quantity_exponent(suffix.substr(1), parts);
}

/// Whether `suffix` consists of suffix letters, a sign and digits, which is all that upstream
/// checks before it interprets them.
inline bool has_quantity_suffix_form(std::string_view suffix) {
  const std::size_t exponent = suffix.find_last_not_of("0123456789");
  suffix = suffix.substr(0, exponent == std::string_view::npos ? 0 : exponent + 1);
  if (suffix.ends_with('-') || suffix.ends_with('+')) suffix.remove_suffix(1);
  return suffix.find_first_not_of("eEinumkKMGTP") == std::string_view::npos;
}

}  // namespace detail

inline Result<QuantityParts> parse_quantity(std::string_view text) {
  constexpr std::string_view kWrongForm =
      "quantities must match the regular expression "
      "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  if (text.empty()) return Status(Code::kInvalid, std::string(kWrongForm));
  QuantityParts parts;
  parts.negative = text[0] == '-';
  if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
  const bool any_digits = detail::take_quantity_number(text, parts);
  if (!detail::has_quantity_suffix_form(text)) {
    return Status(Code::kInvalid, std::string(kWrongForm));
  }
  if (!detail::take_quantity_suffix(text, parts)) {
    return Status(Code::kInvalid, "unable to parse quantity's suffix");
  }
  // Upstream's fast path treats missing digits as zero. Suffixes for which it uses big numbers
  // require digits.
  constexpr int kQuickBinaryMax = 40;
  constexpr std::int64_t kQuickDecimalMin = -9;
  if (!any_digits && (parts.binary > kQuickBinaryMax || parts.decimal < kQuickDecimalMin)) {
    return Status(Code::kInvalid, "unable to parse numeric part of quantity");
  }
  return parts;
}

inline QuantityParts::Wide QuantityParts::nanos() const {
  Wide scaled = value;
  bool rest = lost;
  const auto drop_digit = [&] {
    rest = rest || scaled % 10 != 0;
    scaled /= 10;
  };
  std::int64_t shift = decimal + 9;
  // Leave room for the binary suffix: at least 20 digits remain.
  const Wide room = ~Wide{0} >> binary;
  for (; scaled > room && shift < 0; ++shift) drop_digit();
  if (scaled > room) return kNanosMax;
  scaled <<= binary;
  for (; shift > 0 && scaled != 0 && scaled < kNanosMax; --shift) scaled *= 10;
  for (; shift < 0 && scaled != 0; ++shift) drop_digit();
  return std::min(scaled + (rest ? 1 : 0), kNanosMax);
}

}  // namespace davit
