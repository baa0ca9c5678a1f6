#include "lib/kube/schema/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "lib/kube/schema/schema.hpp"

namespace davit {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::int64_t kNanosPerOne = 1'000'000'000;
constexpr std::int64_t kNanosPerMilli = 1'000'000;
/// Upstream's largest number.
constexpr Wide kNanosMax = static_cast<Wide>(INT64_MAX) * kNanosPerOne;
/// The digits that 64 bits hold; shifted by 60 for "Ei" they fit into 128.
constexpr int kDigitsMax = 19;
/// Decimal suffixes by thousands, from 10^-9.
constexpr std::string_view kDecimalSuffixes = "num kMGTPE";
constexpr std::string_view kBinarySuffixes = " KMGTPE";

constexpr std::string_view kWrongFormat =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view kWrongSuffix = "unable to parse quantity's suffix";

enum class Format : std::uint8_t { kDecimal, kBinary, kExponent };

/// The parts of a text: value * 10^decimal * 2^binary, a bit more when `lost`.
struct Parts {
  bool negative = false;
  std::uint64_t value = 0;
  int decimal = 0;
  int binary = 0;
  bool lost = false;
  Format format = Format::kDecimal;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes digits and at most one point.
void take_number(std::string_view& text, Parts& parts) {
  bool point = false;
  int digits = 0;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_digit(text[i])) break;
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
}

bool take_exponent(std::string_view digits, Parts& parts) {
  constexpr int kExponentMax = 1000;  // All beyond is capped anyway.
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int exponent = 0;
  const char* end = digits.data() + digits.size();
  const auto [last, error] = std::from_chars(digits.data(), end, exponent);
  if (error != std::errc() || last != end) return false;
  parts.decimal += std::clamp(exponent, -kExponentMax, kExponentMax);
  parts.format = Format::kExponent;
  return true;
}

bool take_suffix(std::string_view suffix, Parts& parts) {
  if (suffix.empty()) return true;
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const std::size_t step = kBinarySuffixes.find(suffix[0]);
    if (step == std::string_view::npos || step == 0) return false;
    parts.binary = 10 * static_cast<int>(step);
    parts.format = Format::kBinary;
    return true;
  }
  if (suffix.size() == 1) {
    const std::size_t step = kDecimalSuffixes.find(suffix[0]);
    if (step == std::string_view::npos || suffix[0] == ' ') return false;
    parts.decimal += 3 * (static_cast<int>(step) - 3);
    return true;
  }
  return (suffix[0] == 'e' || suffix[0] == 'E') && take_exponent(suffix.substr(1), parts);
}

Result<Parts> parse(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  Parts parts;
  if (text.empty()) return Status(Code::kInvalid, std::string(kWrongFormat));
  parts.negative = text[0] == '-';
  if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
  take_number(text, parts);
  std::string_view marks = text;  // The suffix without its exponent.
  while (!marks.empty() && is_digit(marks.back())) marks.remove_suffix(1);
  if (marks.ends_with('-') || marks.ends_with('+')) marks.remove_suffix(1);
  if (marks.find_first_not_of("eEinumkKMGTP") != marks.npos) {
    return Status(Code::kInvalid, std::string(kWrongFormat));
  }
  if (!take_suffix(text, parts)) return Status(Code::kInvalid, std::string(kWrongSuffix));
  return parts;
}

/// In units of 10^-9, rounded up and capped.
Wide nanos_of(const Parts& parts) {
  Wide value = static_cast<Wide>(parts.value) << parts.binary;
  int decimal = parts.decimal + 9;
  for (; decimal > 0 && value != 0 && value < kNanosMax; --decimal) value *= 10;
  bool lost = parts.lost;
  for (; decimal < 0 && value != 0; ++decimal) {
    lost = lost || value % 10 != 0;
    value /= 10;
  }
  return std::min(value + (lost ? 1 : 0), kNanosMax);
}

/// value * 1000^(thousands - 3), the largest suffix with an integer before it.
std::string decimal_text(bool negative, std::uint64_t value, int thousands, Format format) {
  while (value % 1000 == 0 && (format == Format::kExponent || thousands < 9)) {
    value /= 1000;
    ++thousands;
  }
  std::string out = negative ? "-" : "";
  out += std::to_string(value);
  if (thousands == 3) return out;
  if (format == Format::kExponent) return out + 'e' + std::to_string(3 * (thousands - 3));
  return out + kDecimalSuffixes[static_cast<std::size_t>(thousands)];
}

std::string binary_text(bool negative, std::uint64_t value, std::size_t step) {
  while (value % 1024 == 0 && step + 1 < kBinarySuffixes.size()) {
    value /= 1024;
    ++step;
  }
  std::string out = negative ? "-" : "";
  out += std::to_string(value);
  if (step != 0) (out += kBinarySuffixes[step]) += 'i';
  return out;
}

/// The usual texts: an integer and perhaps a suffix, in range.
std::optional<std::string> simple_text(const Parts& parts, Precision precision) {
  constexpr std::uint64_t kMillion = 1'000'000;  // Times the largest suffix still in range.
  if (parts.lost || parts.value == 0) return std::nullopt;
  if (parts.format == Format::kBinary) {
    if (parts.decimal != 0 || parts.value > static_cast<std::uint64_t>(INT64_MAX) >> parts.binary)
      return std::nullopt;
    return binary_text(parts.negative, parts.value, static_cast<std::size_t>(parts.binary / 10));
  }
  const int finest = precision == Precision::kMilli ? -3 : -9;
  if (parts.decimal % 3 != 0 || parts.decimal < finest || parts.decimal > 0) return std::nullopt;
  if (parts.value > kMillion * kMillion) return std::nullopt;
  return decimal_text(parts.negative, parts.value, parts.decimal / 3 + 3, parts.format);
}

std::string text_of(const Parts& parts, Wide nanos) {
  if (nanos == 0) return "0";
  if (nanos % kNanosPerOne != 0) {
    // Too fine for binary suffixes. Beyond 64 bits of nanos, digits behind the point are dropped.
    const Format format = parts.format == Format::kBinary ? Format::kDecimal : parts.format;
    int thousands = 0;
    for (; nanos > UINT64_MAX; ++thousands) nanos = (nanos + 999) / 1000;
    return decimal_text(parts.negative, static_cast<std::uint64_t>(nanos), thousands, format);
  }
  const auto ones = static_cast<std::uint64_t>(nanos / kNanosPerOne);
  if (parts.format != Format::kBinary || ones < 1024) {
    const Format format = parts.format == Format::kBinary ? Format::kDecimal : parts.format;
    return decimal_text(parts.negative, ones, 3, format);
  }
  return binary_text(parts.negative, ones, 0);
}

}  // namespace

Result<std::string> canonical_quantity(std::string_view text, Precision precision) {
  const Result<Parts> parts = parse(text);
  if (!parts) return parts.error();
  if (auto simple = simple_text(*parts, precision)) return *std::move(simple);
  Wide nanos = nanos_of(*parts);
  if (precision == Precision::kMilli) {
    // Away from zero, as Quantity.RoundUp does in spite of its name.
    const Wide rest = nanos % kNanosPerMilli;
    nanos -= rest;
    if (rest != 0) nanos += kNanosPerMilli;
  }
  return text_of(*parts, nanos);
}

Result<std::string> canonical_quantity(std::string_view text) {
  return canonical_quantity(text, Precision::kNano);
}

Result<std::int64_t> quantity_milli(std::string_view text) {
  const Result<Parts> parts = parse(text);
  if (!parts) return parts.error();
  const Wide nanos = nanos_of(*parts);
  const Wide milli = (nanos + (parts->negative ? 0 : kNanosPerMilli - 1)) / kNanosPerMilli;
  const auto capped = static_cast<std::int64_t>(std::min(milli, static_cast<Wide>(INT64_MAX)));
  return parts->negative ? -capped : capped;
}

}  // namespace davit
