#include "lib/kube/schema/quantity.hpp"

#include <davit/kube/quantity.hpp>
#include <optional>

#include "lib/kube/schema/schema.hpp"

namespace davit {

namespace {

using Wide = QuantityParts::Wide;

constexpr Wide kNanosPerOne = QuantityParts::kNanosPerOne;
constexpr Wide kNanosPerMilli = 1'000'000;
/// Decimal suffixes by thousands, from 10^-9.
constexpr std::string_view kDecimalSuffixes = "num kMGTPE";
constexpr std::string_view kBinarySuffixes = " KMGTPE";

/// Spaces around it do no harm, as in Quantity.UnmarshalJSON.
Result<QuantityParts> parse_spaced(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return parse_quantity(text);
}

/// value * 1000^(thousands - 3), the largest suffix with an integer before it.
std::string decimal_text(bool negative, std::uint64_t value, int thousands, QuantityFormat format) {
  while (value % 1000 == 0 && (format == QuantityFormat::kExponent || thousands < 9)) {
    value /= 1000;
    ++thousands;
  }
  std::string out = negative ? "-" : "";
  out += std::to_string(value);
  if (thousands == 3) return out;
  if (format == QuantityFormat::kExponent) return out + 'e' + std::to_string(3 * (thousands - 3));
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
std::optional<std::string> simple_text(const QuantityParts& parts, Precision precision) {
  constexpr std::uint64_t kMillion = 1'000'000;  // Times the largest suffix still in range.
  if (parts.lost || parts.value == 0) return std::nullopt;
  if (parts.format == QuantityFormat::kBinary) {
    if (parts.decimal != 0 || parts.value > static_cast<std::uint64_t>(INT64_MAX) >> parts.binary)
      return std::nullopt;
    return binary_text(parts.negative, static_cast<std::uint64_t>(parts.value),
                       static_cast<std::size_t>(parts.binary / 10));
  }
  const int finest = precision == Precision::kMilli ? -3 : -9;
  if (parts.decimal % 3 != 0 || parts.decimal < finest || parts.decimal > 0) return std::nullopt;
  if (parts.value > kMillion * kMillion) return std::nullopt;
  return decimal_text(parts.negative, static_cast<std::uint64_t>(parts.value),
                      static_cast<int>(parts.decimal) / 3 + 3, parts.format);
}

std::string text_of(const QuantityParts& parts, Wide nanos) {
  if (nanos == 0) return "0";
  if (nanos % kNanosPerOne != 0) {
    // Too fine for binary suffixes. Beyond 64 bits of nanos, digits behind the point are dropped.
    const QuantityFormat format =
        parts.format == QuantityFormat::kBinary ? QuantityFormat::kDecimal : parts.format;
    int thousands = 0;
    for (; nanos > UINT64_MAX; ++thousands) nanos = (nanos + 999) / 1000;
    return decimal_text(parts.negative, static_cast<std::uint64_t>(nanos), thousands, format);
  }
  const auto ones = static_cast<std::uint64_t>(nanos / kNanosPerOne);
  if (parts.format != QuantityFormat::kBinary || ones < 1024) {
    const QuantityFormat format =
        parts.format == QuantityFormat::kBinary ? QuantityFormat::kDecimal : parts.format;
    return decimal_text(parts.negative, ones, 3, format);
  }
  return binary_text(parts.negative, ones, 0);
}

}  // namespace

Result<std::string> canonical_quantity(std::string_view text, Precision precision) {
  const Result<QuantityParts> parts = parse_spaced(text);
  if (!parts) return parts.error();
  if (auto simple = simple_text(*parts, precision)) return *std::move(simple);
  Wide nanos = parts->nanos();
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
  const Result<QuantityParts> parts = parse_spaced(text);
  if (!parts) return parts.error();
  return Quantity(*parts).milli();
}

}  // namespace davit
