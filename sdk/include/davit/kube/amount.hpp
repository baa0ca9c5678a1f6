/// Quantities with their notation: exact sums, and the one text that is written for a number.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <davit/kube/pod_resources.hpp>
#include <davit/kube/quantity.hpp>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit {

namespace detail {

/// Decimal digits.
inline std::string wide_digits(QuantityParts::Wide number) {
  constexpr std::uint64_t kTenTo19 = 10'000'000'000'000'000'000U;
  constexpr std::size_t kDigits = 19;
  std::string low = std::to_string(static_cast<std::uint64_t>(number % kTenTo19));
  if (number < kTenTo19) return low;
  low.insert(0, kDigits - low.size(), '0');
  return std::to_string(static_cast<std::uint64_t>(number / kTenTo19)) + low;
}

/// With the largest suffix or exponent that leaves an integer.
inline std::string decimal_quantity(QuantityParts::Wide nanos, QuantityFormat format) {
  constexpr std::string_view kSuffixes = "num kMGTPE";  // In steps of 1000 from 10^-9.
  constexpr std::size_t kOnes = 3;
  std::size_t step = 0;
  for (; step + 1 < kSuffixes.size() && nanos % 1000 == 0; ++step) nanos /= 1000;
  std::string out = wide_digits(nanos);
  if (step == kOnes) return out;
  if (format != QuantityFormat::kExponent) return out + kSuffixes[step];
  return out + 'e' + std::to_string(3 * (static_cast<int>(step) - static_cast<int>(kOnes)));
}

/// With the largest suffix that leaves an integer.
inline std::string binary_quantity(std::uint64_t number) {
  constexpr std::string_view kSuffixes = " KMGTPE";  // In steps of 1024.
  std::size_t step = 0;
  for (; step + 1 < kSuffixes.size() && number % 1024 == 0; ++step) number /= 1024;
  std::string out = std::to_string(number);
  if (step != 0) (out += kSuffixes[step]) += 'i';
  return out;
}

}  // namespace detail

/// The canonical text in the notation: "1500m", "2Gi", "3". Fractions and numbers between -1024 and
/// 1024 have no binary notation and are decimal.
/// k8s.io/apimachinery/pkg/api/resource, Quantity.CanonicalizeBytes.
[[nodiscard]] inline std::string quantity_text(const Quantity& quantity, QuantityFormat format) {
  constexpr QuantityParts::Wide kOne = QuantityParts::kNanosPerOne;
  const Quantity::Wide nanos = quantity.nanos();
  if (nanos == 0) return "0";
  const auto size = static_cast<QuantityParts::Wide>(nanos < 0 ? -nanos : nanos);
  const std::string sign = nanos < 0 ? "-" : "";
  if (format != QuantityFormat::kBinary) return sign + detail::decimal_quantity(size, format);
  if (size % kOne != 0 || size < 1024 * kOne) {
    return sign + detail::decimal_quantity(size, QuantityFormat::kDecimal);
  }
  return sign + detail::binary_quantity(static_cast<std::uint64_t>(size / kOne));
}

/// A quantity with the notation in which it is written, as upstream's resource.Quantity.
class Amount {
 public:
  /// Zero, decimal.
  Amount() = default;
  Amount(const Quantity& quantity, QuantityFormat format) : quantity_(quantity), format_(format) {}
  /// An integer, decimal.
  [[nodiscard]] static Amount whole(std::int64_t number) {
    return {Quantity::whole(number), QuantityFormat::kDecimal};
  }
  /// Nothing if `text` is not a quantity.
  [[nodiscard]] static std::optional<Amount> parse(std::string_view text) {
    const Result<QuantityParts> parts = parse_quantity(text);
    if (!parts) return std::nullopt;
    return Amount(Quantity(*parts), parts->format);
  }
  /// Reads quantity_source(value).
  template <typename V>
  [[nodiscard]] static std::optional<Amount> read(const V& value) {
    return parse(quantity_source(value));
  }

  /// A sum that is still zero takes over the notation of what is added.
  Amount& operator+=(const Amount& more) {
    if (is_zero()) format_ = more.format_;
    quantity_ += more.quantity_;
    return *this;
  }
  Amount& operator-=(const Amount& less) {
    if (is_zero()) format_ = less.format_;
    quantity_ -= less.quantity_;
    return *this;
  }
  /// The next integer that is not smaller.
  [[nodiscard]] Amount rounded_up() const { return {quantity_.rounded_up(), format_}; }

  [[nodiscard]] const Quantity& quantity() const { return quantity_; }
  [[nodiscard]] bool is_zero() const { return quantity_ == Quantity(); }
  [[nodiscard]] bool is_positive() const { return quantity_ > Quantity(); }
  [[nodiscard]] std::string text() const { return quantity_text(quantity_, format_); }

  /// Numeric; the notation does not matter.
  friend bool operator==(const Amount& a, const Amount& b) { return a.quantity_ == b.quantity_; }
  friend std::strong_ordering operator<=>(const Amount& a, const Amount& b) {
    return a.quantity_ <=> b.quantity_;
  }

 private:
  Quantity quantity_;
  QuantityFormat format_ = QuantityFormat::kDecimal;
};

/// Name of a resource → amount.
using Amounts = ResourceList<Amount>;

}  // namespace davit
