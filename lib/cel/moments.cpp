#include "lib/cel/moments.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <davit/kube/signed_duration.hpp>
#include <davit/kube/time.hpp>
#include <limits>
#include <utility>

#include "lib/cel/numbers.hpp"
#include "lib/kube/time_zone.hpp"

namespace davit::cel {
namespace {

constexpr std::int64_t kSecondsMin = -62'135'596'800;  // Year 1.
constexpr std::int64_t kSecondsMax = 253'402'300'799;  // The end of year 9999.
constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

Value shifted(const Timestamp& time, std::int64_t nanos) {
  const std::int64_t seconds = floor_divide(nanos, kNanosPerSecond);
  std::int64_t fraction = time.nanos + (nanos - seconds * kNanosPerSecond);
  std::int64_t total = time.seconds + seconds;
  if (fraction >= kNanosPerSecond) {
    fraction -= kNanosPerSecond;
    ++total;
  }
  return timestamp_of(total, static_cast<std::int32_t>(fraction), time.offset);
}

Value difference(const Timestamp& a, const Timestamp& b) {
  std::int64_t nanos = 0;
  if (__builtin_mul_overflow(a.seconds - b.seconds, kNanosPerSecond, &nanos) ||
      __builtin_add_overflow(nanos, std::int64_t{a.nanos} - b.nanos, &nanos))
    return error_value("timestamp overflow");
  return Span{nanos};
}

Value add_spans(char op, const Span& a, const Span& b) {
  std::int64_t nanos = 0;
  const bool overflows = op == '+' ? __builtin_add_overflow(a.nanos, b.nanos, &nanos)
                                   : __builtin_sub_overflow(a.nanos, b.nanos, &nanos);
  return overflows ? error_value("duration overflow") : Value(Span{nanos});
}

/// A part of local time: seconds since 1970 as a clock of the zone shows them.
std::optional<Value> date_part(std::string_view function, std::int64_t local, std::int32_t nanos) {
  constexpr std::int64_t kDay = 86'400;
  constexpr std::int32_t kNanosPerMilli = 1'000'000;
  const std::int64_t days = floor_divide(local, kDay);
  const std::int64_t second = local - days * kDay;
  const std::chrono::sys_days day{std::chrono::days(days)};
  const std::chrono::year_month_day date(day);
  const auto first = std::chrono::sys_days(date.year() / 1 / 1);
  const std::int64_t day_of_month = unsigned{date.day()};
  if (function == "getFullYear") return std::int64_t{int{date.year()}};
  if (function == "getMonth") return std::int64_t{unsigned{date.month()}} - 1;
  if (function == "getDayOfYear") return std::int64_t{(day - first).count()};
  if (function == "getDayOfMonth") return day_of_month - 1;
  if (function == "getDate") return day_of_month;
  if (function == "getDayOfWeek") return std::int64_t{std::chrono::weekday(day).c_encoding()};
  if (function == "getHours") return second / 3600;
  if (function == "getMinutes") return second / 60 % 60;
  if (function == "getSeconds") return second % 60;
  if (function == "getMilliseconds") return std::int64_t{nanos / kNanosPerMilli};
  return std::nullopt;
}

std::optional<Value> span_part(std::string_view function, const Span& span) {
  constexpr std::int64_t kMilli = 1'000'000;
  if (function == "getHours") return span.nanos / (3600 * kNanosPerSecond);
  if (function == "getMinutes") return span.nanos / (60 * kNanosPerSecond);
  if (function == "getSeconds") return span.nanos / kNanosPerSecond;
  if (function == "getMilliseconds") return span.nanos / kMilli;
  return std::nullopt;
}

}  // namespace

std::string timestamp_text(const Timestamp& time) {
  std::string out = time_text({time.seconds + time.offset, 0});
  if (time.nanos != 0) {
    std::string fraction = std::to_string(time.nanos);
    fraction.insert(0, 9 - fraction.size(), '0');
    fraction.erase(fraction.find_last_not_of('0') + 1);
    out.insert(out.size() - 1, "." + fraction);
  }
  if (time.offset == 0) return out;
  out.pop_back();  // Z
  std::array<char, 16> zone{};
  const int minutes = std::abs(time.offset) / 60;
  std::snprintf(zone.data(), zone.size(), "%c%02d:%02d", time.offset < 0 ? '-' : '+', minutes / 60,
                minutes % 60);
  return out + zone.data();
}

std::string duration_text(const Span& span) {
  const std::int64_t whole = span.nanos / kNanosPerSecond;
  const std::int64_t rest = span.nanos % kNanosPerSecond;
  return decimal_text(static_cast<double>(whole) + static_cast<double>(rest) / 1e9) + "s";
}

Value timestamp_of(std::int64_t seconds, std::int32_t nanos, std::int32_t offset) {
  if (seconds < kSecondsMin || seconds > kSecondsMax) return error_value("timestamp overflow");
  return Timestamp{seconds, nanos, offset};
}

std::int32_t offset_of(std::string_view time) {
  constexpr std::size_t kZone = 6;  // "+01:30"
  if (time.size() < kZone || !std::isdigit(static_cast<unsigned char>(time.back()))) return 0;
  const std::string_view zone = time.substr(time.size() - kZone);
  const auto digit = [&](std::size_t at) { return std::int32_t{zone[at] - '0'}; };
  const std::int32_t minutes = (digit(1) * 10 + digit(2)) * 60 + digit(4) * 10 + digit(5);
  return (zone[0] == '-' ? -minutes : minutes) * 60;
}

Value parse_timestamp(std::string_view text) {
  const Result<WireTime> time = parse_wire_time(text);
  if (!time)
    return error_value("type conversion error from 'string' to 'google.protobuf.Timestamp'");
  return timestamp_of(time->seconds, time->nanos, offset_of(text));
}

Value parse_span(std::string_view text) {
  const std::optional<Duration> span = parse_signed_duration(text);
  if (!span)
    return error_value("type conversion error from 'string' to 'google.protobuf.Duration'");
  return Span{span->count()};
}

std::optional<Value> moment_arithmetic(char op, const Value& a, const Value& b) {
  if (op != '+' && op != '-') return std::nullopt;
  const auto* time = a.get<Timestamp>();
  const auto* other_time = b.get<Timestamp>();
  const auto* span = a.get<Span>();
  const auto* other_span = b.get<Span>();
  if (span != nullptr && other_span != nullptr) return add_spans(op, *span, *other_span);
  if (time != nullptr && other_time != nullptr)
    return op == '-' ? difference(*time, *other_time) : no_such_overload();
  if (span != nullptr && other_time != nullptr && op == '+')
    return shifted(*other_time, span->nanos);
  if (time == nullptr || other_span == nullptr) return std::nullopt;
  if (op == '+') return shifted(*time, other_span->nanos);
  if (other_span->nanos == std::numeric_limits<std::int64_t>::min())
    return error_value("timestamp overflow");
  return shifted(*time, -other_span->nanos);
}

std::optional<Value> moment_part(std::string_view function, std::span<const Value> args) {
  if (!function.starts_with("get") || args.empty() || args.size() > 2) return std::nullopt;
  if (const auto* span = args[0].get<Span>(); span != nullptr && args.size() == 1)
    return span_part(function, *span);
  const auto* time = args[0].get<Timestamp>();
  if (time == nullptr) return std::nullopt;
  if (args.size() == 1) return date_part(function, time->seconds, time->nanos);
  if (args[1].kind() != ValueKind::kString) return no_such_overload();
  const Result<std::int64_t> offset = zone_offset(args[1].text(), time->seconds);
  if (!offset) return error_value(offset.error().message());
  return date_part(function, time->seconds + *offset, time->nanos);
}

}  // namespace davit::cel
