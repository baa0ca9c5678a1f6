/// Numbers that stop at the ends of their types, where upstream's wrap around.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace davit::podautoscaler {

__extension__ using Wide = __int128;

/// Rule: docs/spec/hpa.md, section 9.1.
[[nodiscard]] constexpr std::int64_t saturated64(Wide value) {
  return static_cast<std::int64_t>(
      std::clamp<Wide>(value, static_cast<Wide>(INT64_MIN) + 1, INT64_MAX));
}
[[nodiscard]] constexpr std::int32_t saturated32(Wide value) {
  return static_cast<std::int32_t>(std::clamp<Wide>(value, INT32_MIN, INT32_MAX));
}
/// The whole part; 0 of what is no number.
[[nodiscard]] inline std::int32_t saturated32(double value) {
  if (std::isnan(value)) return 0;
  return static_cast<std::int32_t>(
      std::clamp(value, static_cast<double>(INT32_MIN), static_cast<double>(INT32_MAX)));
}
/// A sum that stops at the ends.
[[nodiscard]] constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  return saturated64(Wide{a} + b);
}

}  // namespace davit::podautoscaler
