/// Quantities as the server prints them.
#pragma once

#include <cstdint>
#include <string>

namespace davit::podautoscaler {

/// The unit of a quantity's suffix: powers of 1000, or of 1024 where they divide it.
enum class QuantityUnit : std::uint8_t { kDecimal, kBinary };

/// A number of thousandths in canonical form: "250m", "20", "200Mi"
/// (k8s.io/apimachinery/pkg/api/resource, Quantity.CanonicalizeBytes).
[[nodiscard]] std::string quantity_text(std::int64_t milli, QuantityUnit unit);

}  // namespace davit::podautoscaler
