/// RFC 3339 time stamps, as they stand in objects.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <davit/time.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit {

namespace detail {

/// Reads exactly `digits` decimal digits off the front of `text`.
inline std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

inline bool take_char(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// The fraction after the seconds, digits beyond nanoseconds cut off; nothing when malformed.
inline std::optional<std::int64_t> take_fraction_ns(std::string_view& text) {
  if (!take_char(text, ".")) return 0;
  std::int64_t ns = 0;
  std::int64_t unit = 100'000'000;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    ns += unit * (text[digits] - '0');
    unit /= 10;
  }
  if (digits == 0) return std::nullopt;
  text.remove_prefix(digits);
  return ns;
}

/// "Z" or "+hh:mm" up to the end of the text.
inline std::optional<std::chrono::minutes> take_offset(std::string_view& text) {
  if (text == "Z" || text == "z") return std::chrono::minutes(0);
  const bool west = !text.empty() && text.front() == '-';
  if (!take_char(text, "+-")) return std::nullopt;
  const std::optional<int> hours = take_digits(text, 2);
  if (!hours || !take_char(text, ":")) return std::nullopt;
  const std::optional<int> minutes = take_digits(text, 2);
  if (!minutes || !text.empty() || *hours > 23 || *minutes > 59) return std::nullopt;
  const std::chrono::minutes offset(*hours * 60 + *minutes);
  return west ? -offset : offset;
}

}  // namespace detail

/// The times that parse_time() gives: 290 years, so that a Duration holds the difference of any two
/// of them. It ends at 292.
inline constexpr WallTime kTimeMin = std::chrono::sys_days(std::chrono::year(1900) / 1 / 1);
inline constexpr WallTime kTimeMax = std::chrono::sys_days(std::chrono::year(2190) / 1 / 1);

/// Nothing if `text` is not RFC 3339, empty text included. Times before 1900 and after 2189 become
/// kTimeMin and kTimeMax, so that computations stay within the clock.
[[nodiscard]] inline std::optional<WallTime> parse_time(std::string_view text) {
  const std::optional<int> year = detail::take_digits(text, 4);
  if (!year || !detail::take_char(text, "-")) return std::nullopt;
  const std::optional<int> month = detail::take_digits(text, 2);
  if (!month || !detail::take_char(text, "-")) return std::nullopt;
  const std::optional<int> day = detail::take_digits(text, 2);
  if (!day || !detail::take_char(text, "Tt")) return std::nullopt;
  const std::optional<int> hour = detail::take_digits(text, 2);
  if (!hour || !detail::take_char(text, ":")) return std::nullopt;
  const std::optional<int> minute = detail::take_digits(text, 2);
  if (!minute || !detail::take_char(text, ":")) return std::nullopt;
  const std::optional<int> second = detail::take_digits(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const std::optional<std::int64_t> fraction = detail::take_fraction_ns(text);
  if (!fraction) return std::nullopt;
  const std::optional<std::chrono::minutes> offset = detail::take_offset(text);
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!offset || !date.ok()) return std::nullopt;
  const std::chrono::sys_seconds whole = std::chrono::sys_seconds(std::chrono::sys_days(date)) +
                                         std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
                                         std::chrono::seconds(*second) - *offset;
  // Compared in seconds, which hold every year; nanoseconds do not.
  if (whole < std::chrono::floor<std::chrono::seconds>(kTimeMin)) return kTimeMin;
  if (whole >= std::chrono::floor<std::chrono::seconds>(kTimeMax)) return kTimeMax;
  return WallTime(whole) + Duration(*fraction);
}

/// "2006-01-02T15:04:05Z": whole seconds, as the API server stores times. Rounds down.
[[nodiscard]] inline std::string format_time(WallTime time) {
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - days));
  char text[40];
  const int size = std::snprintf(
      text, sizeof(text), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  return std::string(text, static_cast<std::size_t>(size));
}

}  // namespace davit
