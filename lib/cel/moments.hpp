/// Timestamps and durations: their text, arithmetic and parts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/cel/value.hpp"

namespace davit::cel {

/// RFC 3339 in UTC, with as many digits of fraction as needed.
[[nodiscard]] std::string timestamp_text(const Timestamp& time);
/// Seconds: "1.5s".
[[nodiscard]] std::string duration_text(const Span& span);
/// Errors are cel-go's: "type conversion error from 'string' to 'google.protobuf.Timestamp'".
[[nodiscard]] Value parse_timestamp(std::string_view text);
[[nodiscard]] Value parse_span(std::string_view text);
/// A timestamp of seconds since 1970; an error outside of years 1 to 9999.
[[nodiscard]] Value timestamp_of(std::int64_t seconds, std::int32_t nanos, std::int32_t offset = 0);
/// The seconds east of UTC that a well-formed RFC 3339 time ends with; 0 for "Z".
[[nodiscard]] std::int32_t offset_of(std::string_view time);
/// a + b and a - b if one is a timestamp or a duration; nothing if none is.
[[nodiscard]] std::optional<Value> moment_arithmetic(char op, const Value& a, const Value& b);
/// getFullYear() and the like of a timestamp, with a time zone or without, and getHours() and the
/// like of a duration; nothing if there is no such function.
[[nodiscard]] std::optional<Value> moment_part(std::string_view function,
                                               std::span<const Value> args);

}  // namespace davit::cel
