/// Times as the API writes them: RFC 3339 in UTC.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <string>
#include <string_view>

namespace davit {

struct WireTime {
  std::int64_t seconds = 0;  ///< Since 1970.
  std::int32_t nanos = 0;
  /// Go's zero time, the first second of year 1, which the API takes for none.
  [[nodiscard]] bool is_zero() const;
};

/// A Time: any RFC 3339 text. The message is Go's: `parsing time "x" as …`.
[[nodiscard]] Result<WireTime> parse_wire_time(std::string_view text);
/// A MicroTime: with exactly six digits of fraction.
[[nodiscard]] Result<WireTime> parse_wire_micro_time(std::string_view text);

/// "2026-01-01T00:00:00Z". Years outside 0 to 9999 are cut to them.
[[nodiscard]] std::string time_text(const WireTime& time);
/// "2026-01-01T00:00:00.000000Z"
[[nodiscard]] std::string micro_time_text(const WireTime& time);

}  // namespace davit
