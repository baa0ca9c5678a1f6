#include "lib/kube/schema/canonical_quantity.hpp"

#include <davit/kube/amount.hpp>

#include "lib/kube/schema/schema.hpp"

namespace davit {

namespace {

/// Spaces around it do no harm, as in Quantity.UnmarshalJSON.
Result<QuantityParts> parse_spaced(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return parse_quantity(text);
}

/// Away from zero, as Quantity.RoundUp does in spite of its name.
Quantity rounded_to_milli(const Quantity& quantity) {
  constexpr Quantity::Wide kNanosPerMilli = 1'000'000;
  const Quantity::Wide rest = quantity.nanos() % kNanosPerMilli;
  if (rest == 0) return quantity;
  return Quantity::of_nanos(quantity.nanos() - rest +
                            (rest > 0 ? kNanosPerMilli : -kNanosPerMilli));
}

}  // namespace

Result<std::string> canonical_quantity(std::string_view text, Precision precision) {
  const Result<QuantityParts> parts = parse_spaced(text);
  if (!parts) return parts.error();
  const Quantity quantity(*parts);
  return quantity_text(precision == Precision::kMilli ? rounded_to_milli(quantity) : quantity,
                       parts->format);
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
