#include "host/config/duration.hpp"

#include <cstdint>
#include <limits>

namespace davit::host {
namespace {

/// Wide enough for the product of a 63-bit number and a unit.
__extension__ using Wide = unsigned __int128;

/// The unit at the beginning of `text` in nanoseconds, and its length; 0 when there is none.
std::int64_t take_unit(std::string_view& text) {
  struct Unit {
    std::string_view name;
    std::int64_t nanoseconds;
  };
  constexpr Unit kUnits[] = {
      {"ns", 1},          {"us", 1'000},        {"\u00b5s", 1'000},  // Micro sign.
      {"\u03bcs", 1'000},                                            // Greek letter mu.
      {"ms", 1'000'000},  {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000},
  };
  for (const Unit& unit : kUnits) {
    if (!text.starts_with(unit.name)) continue;
    text.remove_prefix(unit.name.size());
    return unit.nanoseconds;
  }
  return 0;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  constexpr auto kMax = static_cast<Wide>(std::numeric_limits<std::int64_t>::max());
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text == "0") return Duration::zero();
  if (text.empty()) return std::nullopt;
  Wide total = 0;
  while (!text.empty()) {
    Wide whole = 0;
    Wide fraction = 0;
    Wide scale = 1;
    bool digits = false;
    for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1)) {
      whole = whole * 10 + static_cast<unsigned>(text[0] - '0');
      digits = true;
      if (whole > kMax) return std::nullopt;
    }
    if (!text.empty() && text[0] == '.') {
      text.remove_prefix(1);
      for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1)) {
        digits = true;
        // Digits beyond a nanosecond's fraction of an hour change nothing.
        if (scale >= 1'000'000'000'000'000) continue;
        fraction = fraction * 10 + static_cast<unsigned>(text[0] - '0');
        scale *= 10;
      }
    }
    const std::int64_t unit = take_unit(text);
    if (!digits || unit == 0) return std::nullopt;
    const auto factor = static_cast<Wide>(unit);
    total += whole * factor + fraction * factor / scale;
    if (total > kMax) return std::nullopt;
  }
  const auto count = static_cast<std::int64_t>(total);
  return Duration(negative ? -count : count);
}

std::string format_duration(Duration value) {
  if (value == Duration::zero()) return "0s";
  const bool negative = value < Duration::zero();
  std::uint64_t left = negative ? 0 - static_cast<std::uint64_t>(value.count())
                                : static_cast<std::uint64_t>(value.count());
  const auto with_fraction = [](std::uint64_t whole, std::uint64_t rest, int width) {
    std::string text = std::to_string(whole);
    if (rest == 0) return text;
    std::string digits = std::to_string(rest);
    digits.insert(0, static_cast<std::size_t>(width) - digits.size(), '0');
    digits.erase(digits.find_last_not_of('0') + 1);
    return text + "." + digits;
  };
  std::string out = negative ? "-" : "";
  if (left < 1'000) return out + std::to_string(left) + "ns";
  if (left < 1'000'000) return out + with_fraction(left / 1'000, left % 1'000, 3) + "\u00b5s";
  if (left < 1'000'000'000) {
    return out + with_fraction(left / 1'000'000, left % 1'000'000, 6) + "ms";
  }
  const std::uint64_t nanos = left % 1'000'000'000;
  const std::uint64_t seconds = left / 1'000'000'000;
  if (seconds >= 3600) out += std::to_string(seconds / 3600) + "h";
  if (seconds >= 60) out += std::to_string(seconds / 60 % 60) + "m";
  return out + with_fraction(seconds % 60, nanos, 9) + "s";
}

}  // namespace davit::host
