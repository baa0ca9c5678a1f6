/// Range: the least and the greatest value that a size or a cost may have.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace davit::cel {

inline constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();

/// Sums and products that stop at kUnbounded.
[[nodiscard]] constexpr std::uint64_t bounded_sum(std::uint64_t a, std::uint64_t b) {
  return a > kUnbounded - b ? kUnbounded : a + b;
}
[[nodiscard]] constexpr std::uint64_t bounded_product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kUnbounded / b ? kUnbounded : a * b;
}

/// A size in characters, bytes, items or members, or a cost in units of cel-go.
struct Range {
  std::uint64_t min = 0;
  std::uint64_t max = kUnbounded;  ///< Nothing is known by default.

  friend bool operator==(const Range&, const Range&) = default;
};

[[nodiscard]] constexpr Range exactly(std::uint64_t value) { return {value, value}; }

[[nodiscard]] constexpr Range operator+(Range a, Range b) {
  return {bounded_sum(a.min, b.min), bounded_sum(a.max, b.max)};
}
[[nodiscard]] constexpr Range operator*(Range a, Range b) {
  return {bounded_product(a.min, b.min), bounded_product(a.max, b.max)};
}

/// The range that has all values of both.
[[nodiscard]] constexpr Range either(Range a, Range b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

/// `value` times a factor, rounded up, in the arithmetic of cel-go's cost.go.
[[nodiscard]] inline std::uint64_t scaled(std::uint64_t value, double factor) {
  constexpr double kTwoTo64 = 18446744073709551616.0;
  const double out = std::ceil(static_cast<double>(value) * factor);
  return out >= kTwoTo64 ? kUnbounded : static_cast<std::uint64_t>(out);
}
[[nodiscard]] inline Range scaled(Range range, double factor) {
  return {scaled(range.min, factor), scaled(range.max, factor)};
}

}  // namespace davit::cel
