/// Exact quantities with their notation: sums, and the text that is written.
#pragma once

#include <compare>
#include <cstdint>
#include <davit/kube/pod_resources.hpp>
#include <davit/kube/quantity.hpp>
#include <davit/object.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit::resourcequota {

/// A number in units of 10^-9, within ±(2^63-1), and how it is written.
/// Rule: docs/spec/resourcequota.md, section 11.
class Amount {
 public:
  /// Zero, decimal.
  Amount() = default;
  [[nodiscard]] static Amount whole(std::int64_t number);
  /// Nothing if `text` is not a quantity.
  [[nodiscard]] static std::optional<Amount> parse(std::string_view text);
  /// Reads a string or a number; nothing for everything else.
  [[nodiscard]] static std::optional<Amount> read(Value value);

  /// A sum that is still zero takes over the notation of what is added.
  Amount& operator+=(const Amount& more);
  Amount& operator-=(const Amount& less);
  /// The next whole number that is not smaller.
  [[nodiscard]] Amount rounded_up() const;
  [[nodiscard]] bool is_zero() const { return nanos_ == 0; }
  [[nodiscard]] bool is_positive() const { return nanos_ > 0; }

  /// As resource.Quantity prints it: "1500m", "2Gi", "3".
  [[nodiscard]] std::string text() const;

  /// Numeric; the notation does not matter.
  friend bool operator==(const Amount& a, const Amount& b) { return a.nanos_ == b.nanos_; }
  friend std::strong_ordering operator<=>(const Amount& a, const Amount& b) {
    if (a.nanos_ == b.nanos_) return std::strong_ordering::equal;
    return a.nanos_ < b.nanos_ ? std::strong_ordering::less : std::strong_ordering::greater;
  }

 private:
  __extension__ using Wide = __int128;

  Wide nanos_ = 0;
  QuantityFormat format_ = QuantityFormat::kDecimal;
};

/// Name of a resource → amount.
using Amounts = ResourceList<Amount>;

}  // namespace davit::resourcequota
