/// Durations in a controller's configuration, as Go writes them: "1h30m", "1.5s", "300ms", "0".
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <davit/time.hpp>
#include <optional>
#include <string_view>
#include <system_error>

namespace davit {

/// Go's time.ParseDuration without a sign: decimal numbers with a unit each (ns, us, ms, s, m, h),
/// or "0". Nothing for anything else, and for more than 292 years.
[[nodiscard]] inline std::optional<Duration> parse_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    double ns;
  };
  constexpr std::array<Unit, 6> kUnits = {
      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}}};
  constexpr double kMax = 9.2e18;
  if (text == "0") return Duration::zero();
  if (text.empty()) return std::nullopt;
  double total = 0;
  while (!text.empty()) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
    if (error != std::errc() || !(number >= 0)) return std::nullopt;  // "nan" is a number, too.
    text.remove_prefix(static_cast<std::size_t>(last - text.data()));
    const std::size_t letters = std::min(text.find_first_of("0123456789."), text.size());
    double unit = 0;
    for (const Unit& each : kUnits) {
      if (each.name == text.substr(0, letters)) unit = each.ns;
    }
    if (unit == 0) return std::nullopt;
    text.remove_prefix(letters);
    total += number * unit;
    if (total > kMax) return std::nullopt;
  }
  return Duration(static_cast<std::int64_t>(total));
}

}  // namespace davit
