/// RFC 3339 time stamps, as objects contain them. All reading and writing of their text is here.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit {

/// A time of any year.
struct WireTime {
  std::int64_t seconds = 0;  ///< Since 1970.
  std::int32_t nanos = 0;
  /// Whether this is Go's zero time, the first second of year 1, which the API treats as no time.
  [[nodiscard]] bool is_zero() const {
    constexpr std::int64_t kZeroTime = -62'135'596'800;
    return seconds == kZeroTime && nanos == 0;
  }
};

/// Reads a Time: any text that Go's time.Parse accepts as RFC 3339. kInvalid with Go's message,
/// `parsing time "x" as …`, for other texts.
[[nodiscard]] Result<WireTime> parse_wire_time(std::string_view text);
/// Reads a MicroTime: RFC 3339 with exactly six fraction digits.
[[nodiscard]] Result<WireTime> parse_wire_micro_time(std::string_view text);

/// "2006-01-02T15:04:05Z". Years are limited to 0 to 9999.
[[nodiscard]] std::string time_text(const WireTime& time);
/// "2006-01-02T15:04:05.000000Z"
[[nodiscard]] std::string micro_time_text(const WireTime& time);

/// Converts `time` for writing.
[[nodiscard]] WireTime wire_time(WallTime time);

/// The range of parse_time(): 290 years, so that a Duration, which holds 292, can hold the
/// difference of any two of them.
inline constexpr WallTime kTimeMin = std::chrono::sys_days(std::chrono::year(1900) / 1 / 1);
/// See kTimeMin.
inline constexpr WallTime kTimeMax = std::chrono::sys_days(std::chrono::year(2190) / 1 / 1);

/// Nothing if `text` is not RFC 3339, as with an empty text. Times before 1900 and after 2189
/// become kTimeMin and kTimeMax, so that computations stay within the clock's range.
[[nodiscard]] std::optional<WallTime> parse_time(std::string_view text);

/// "2006-01-02T15:04:05Z": whole seconds, as the API server stores times. Rounds down.
[[nodiscard]] std::string format_time(WallTime time);
/// metav1.MicroTime: "2006-01-02T15:04:05.000000Z". Rounds down.
[[nodiscard]] std::string format_micro_time(WallTime time);

}  // namespace davit
