/// Durations as Go writes them: "1h30m", "1.5s", "300ms", "0".
#pragma once

#include <array>
#include <cstdint>
#include <davit/time.hpp>
#include <limits>
#include <optional>
#include <string_view>

namespace davit {

namespace detail {

/// Wide enough for the product of a 63-bit number and a unit.
__extension__ using Wide = unsigned __int128;

/// Takes the unit at the beginning of `text` away; its length in nanoseconds, 0 when there is none.
inline Wide take_unit(std::string_view& text) {
  struct Unit {
    std::string_view name;
    std::uint64_t nanoseconds;
  };
  constexpr std::array<Unit, 8> kUnits = {{{"ns", 1},
                                           {"us", 1'000},
                                           {"\u00b5s", 1'000},  // Micro sign.
                                           {"\u03bcs", 1'000},  // Greek letter mu.
                                           {"ms", 1'000'000},
                                           {"s", 1'000'000'000},
                                           {"m", 60'000'000'000},
                                           {"h", 3'600'000'000'000}}};
  for (const Unit& unit : kUnits) {
    if (!text.starts_with(unit.name)) continue;
    text.remove_prefix(unit.name.size());
    return unit.nanoseconds;
  }
  return 0;
}

/// Takes a number and its unit away from the beginning of `text`; nanoseconds, nothing when it does
/// not begin so.
inline std::optional<Wide> take_part(std::string_view& text) {
  const auto at_digit = [&text] { return !text.empty() && text[0] >= '0' && text[0] <= '9'; };
  constexpr auto kMax = static_cast<Wide>(std::numeric_limits<std::int64_t>::max());
  Wide whole = 0;
  Wide fraction = 0;
  Wide scale = 1;
  bool digits = false;
  for (; at_digit(); text.remove_prefix(1)) {
    whole = whole * 10 + static_cast<unsigned>(text[0] - '0');
    digits = true;
    if (whole > kMax) return std::nullopt;
  }
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    for (; at_digit(); text.remove_prefix(1)) {
      digits = true;
      // Digits beyond a nanosecond's fraction of an hour change nothing.
      if (scale >= 1'000'000'000'000'000) continue;
      fraction = fraction * 10 + static_cast<unsigned>(text[0] - '0');
      scale *= 10;
    }
  }
  const Wide unit = take_unit(text);
  if (!digits || unit == 0) return std::nullopt;
  return whole * unit + fraction * unit / scale;
}

}  // namespace detail

/// Go's time.ParseDuration without a sign: decimal numbers with a unit each (ns, us, µs, ms, s, m,
/// h), or "0". Nothing for anything else, and for what does not fit 64 bits of nanoseconds.
[[nodiscard]] inline std::optional<Duration> parse_duration(std::string_view text) {
  constexpr auto kMax = static_cast<detail::Wide>(std::numeric_limits<std::int64_t>::max());
  if (text == "0") return Duration::zero();
  if (text.empty()) return std::nullopt;
  detail::Wide total = 0;
  while (!text.empty()) {
    const std::optional<detail::Wide> part = detail::take_part(text);
    if (!part) return std::nullopt;
    total += *part;
    if (total > kMax) return std::nullopt;
  }
  return Duration(static_cast<std::int64_t>(total));
}

}  // namespace davit
