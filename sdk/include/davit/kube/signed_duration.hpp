/// Durations with a sign, and the text that Go writes: "-1h30m0s", "1.5s", "0s". Go's flags and the
/// sandbox's parameters take a sign; fields of objects do not, and need duration.hpp alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/kube/duration.hpp>
#include <davit/time.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit {

/// Go's time.ParseDuration: an optional sign, then parse_duration().
[[nodiscard]] inline std::optional<Duration> parse_signed_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::optional<Duration> value = parse_duration(text);
  return value && negative ? -*value : value;
}

/// Go's Duration.String.
[[nodiscard]] inline std::string format_duration(Duration value) {
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

}  // namespace davit
