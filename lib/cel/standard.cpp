#include <array>
#include <cmath>
#include <limits>

#include "lib/base/utf8.hpp"
#include "lib/cel/arguments.hpp"
#include "lib/cel/functions.hpp"
#include "lib/cel/moments.hpp"
#include "lib/cel/numbers.hpp"

namespace davit::cel {
namespace {

using Args = std::span<const Value>;

Value conversion_error(const Value& value, std::string_view target) {
  return error_value("type conversion error from '" + type_name(value) + "' to '" +
                     std::string(target) + "'");
}

Value size_function(FunctionContext& /*context*/, Args args) {
  const std::optional<std::uint64_t> size = args.size() == 1 ? size_of(args[0]) : std::nullopt;
  if (!size) return no_overload("size", args);
  return static_cast<std::int64_t>(*size);
}

Value int_of_text(std::string_view text, const Value& value) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty() || (digits[0] != '-' && (digits[0] < '0' || digits[0] > '9')) ||
      digits.find_first_not_of("0123456789", 1) != std::string_view::npos)
    return conversion_error(value, "int");
  Value out = json_number(digits);
  return out.kind() == ValueKind::kInt ? out : conversion_error(value, "int");
}

Value int_function(FunctionContext& /*context*/, Args args) {
  if (args.size() != 1) return no_overload("int", args);
  if (args[0].kind() == ValueKind::kInt) return args[0];
  if (const auto* number = args[0].get<std::uint64_t>()) {
    if (*number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return error_value("integer overflow");
    return static_cast<std::int64_t>(*number);
  }
  if (const auto* number = args[0].get<double>()) {
    constexpr double kLimit = 9223372036854775808.0;
    if (!(*number > -kLimit && *number < kLimit)) return error_value("integer overflow");
    return static_cast<std::int64_t>(*number);
  }
  if (const auto* time = args[0].get<Timestamp>()) return time->seconds;
  if (args[0].kind() == ValueKind::kString) return int_of_text(args[0].text(), args[0]);
  return no_overload("int", args);
}

Value uint_of_text(std::string_view text, const Value& value) {
  std::uint64_t out = 0;
  if (text.empty()) return conversion_error(value, "uint");
  for (const char c : text) {
    if (c < '0' || c > '9' || __builtin_mul_overflow(out, 10U, &out) ||
        __builtin_add_overflow(out, static_cast<std::uint64_t>(c - '0'), &out))
      return conversion_error(value, "uint");
  }
  return out;
}

Value uint_function(FunctionContext& /*context*/, Args args) {
  if (args.size() != 1) return no_overload("uint", args);
  if (args[0].kind() == ValueKind::kUint) return args[0];
  if (const auto* number = args[0].get<std::int64_t>()) {
    if (*number < 0) return error_value("unsigned integer overflow");
    return static_cast<std::uint64_t>(*number);
  }
  if (const auto* number = args[0].get<double>()) {
    constexpr double kLimit = 18446744073709551616.0;
    if (!(*number >= 0 && *number < kLimit)) return error_value("unsigned integer overflow");
    return static_cast<std::uint64_t>(*number);
  }
  if (args[0].kind() == ValueKind::kString) return uint_of_text(args[0].text(), args[0]);
  return no_overload("uint", args);
}

Value double_function(FunctionContext& /*context*/, Args args) {
  if (args.size() != 1) return no_overload("double", args);
  if (args[0].kind() == ValueKind::kDouble) return args[0];
  if (const auto* number = args[0].get<std::int64_t>()) return static_cast<double>(*number);
  if (const auto* number = args[0].get<std::uint64_t>()) return static_cast<double>(*number);
  if (args[0].kind() != ValueKind::kString) return no_overload("double", args);
  const std::optional<double> number = parse_double(args[0].text());
  return number ? Value(*number) : conversion_error(args[0], "double");
}

Value string_function(FunctionContext& /*context*/, Args args) {
  if (args.size() != 1) return no_overload("string", args);
  if (const auto* opaque = args[0].get<OpaqueRef>()) {
    std::optional<std::string> text = (*opaque)->to_text();
    return text ? text_value(std::move(*text)) : no_overload("string", args);
  }
  switch (args[0].kind()) {
    case ValueKind::kString:
      return args[0];
    case ValueKind::kBytes:
      if (!is_utf8(*args[0].get<Bytes>()->bytes))
        return error_value("invalid UTF-8 in bytes, cannot convert to string");
      return text_value(plain_text(args[0]));
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
      return text_value(plain_text(args[0]));
    default:
      return no_overload("string", args);
  }
}

Value bytes_function(FunctionContext& /*context*/, Args args) {
  if (args.size() != 1) return no_overload("bytes", args);
  if (args[0].kind() == ValueKind::kBytes) return args[0];
  if (args[0].kind() == ValueKind::kString) return bytes_value(std::string(args[0].text()));
  return no_overload("bytes", args);
}

Value bool_function(FunctionContext& /*context*/, Args args) {
  if (args.size() == 1 && args[0].kind() == ValueKind::kBool) return args[0];
  if (!takes(args, "s")) return no_overload("bool", args);
  for (const std::string_view word : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (args[0].text() == word) return true;
  }
  for (const std::string_view word : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (args[0].text() == word) return false;
  }
  return conversion_error(args[0], "bool");
}

Value timestamp_function(FunctionContext& /*context*/, Args args) {
  if (args.size() == 1 && args[0].kind() == ValueKind::kTimestamp) return args[0];
  if (takes(args, "i")) return timestamp_of(*args[0].get<std::int64_t>(), 0);
  return takes(args, "s") ? parse_timestamp(args[0].text()) : no_overload("timestamp", args);
}

Value duration_function(FunctionContext& /*context*/, Args args) {
  if (args.size() == 1 && args[0].kind() == ValueKind::kDuration) return args[0];
  // Declared, but cel-go's integers convert to no duration.
  if (takes(args, "i")) return conversion_error(args[0], "google.protobuf.Duration");
  return takes(args, "s") ? parse_span(args[0].text()) : no_overload("duration", args);
}

Value type_function(FunctionContext& /*context*/, Args args) {
  return args.size() == 1 ? Value(TypeValue{type_name(args[0])}) : no_overload("type", args);
}

Value dyn_function(FunctionContext& /*context*/, Args args) {
  return args.size() == 1 ? args[0] : no_overload("dyn", args);
}

Value contains_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "ss")) return no_overload("contains", args);
  return args[0].text().find(args[1].text()) != std::string_view::npos;
}

Value starts_with_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "ss")) return no_overload("startsWith", args);
  return args[0].text().starts_with(args[1].text());
}

Value ends_with_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "ss")) return no_overload("endsWith", args);
  return args[0].text().ends_with(args[1].text());
}

Value matches_function(FunctionContext& context, Args args) {
  if (!takes(args, "ss")) return no_overload("matches", args);
  const Result<Pattern>& pattern = context.pattern(args[1].text());
  if (!pattern) return error_value(pattern.error().message());
  return pattern->matches(args[0].text());
}

#define DAVIT_PART(identifier, name)                          \
  Value identifier(FunctionContext& /*context*/, Args args) { \
    std::optional<Value> part = moment_part(name, args);      \
    return part ? std::move(*part) : no_overload(name, args); \
  }
DAVIT_PART(year_function, "getFullYear")
DAVIT_PART(month_function, "getMonth")
DAVIT_PART(day_of_year_function, "getDayOfYear")
DAVIT_PART(day_of_month_function, "getDayOfMonth")
DAVIT_PART(date_function, "getDate")
DAVIT_PART(day_of_week_function, "getDayOfWeek")
DAVIT_PART(hours_function, "getHours")
DAVIT_PART(minutes_function, "getMinutes")
DAVIT_PART(seconds_function, "getSeconds")
DAVIT_PART(milliseconds_function, "getMilliseconds")
#undef DAVIT_PART

}  // namespace

FunctionTable standard_functions() {
  static constexpr std::array<NamedFunction, 12> kTable = {{{"size", size_function},
                                                            {"int", int_function},
                                                            {"uint", uint_function},
                                                            {"double", double_function},
                                                            {"string", string_function},
                                                            {"bytes", bytes_function},
                                                            {"bool", bool_function},
                                                            {"timestamp", timestamp_function},
                                                            {"duration", duration_function},
                                                            {"type", type_function},
                                                            {"dyn", dyn_function},
                                                            {"matches", matches_function}}};
  return kTable;
}

FunctionTable standard_members() {
  static constexpr std::array<NamedFunction, 15> kTable = {
      {{"size", size_function},
       {"contains", contains_function},
       {"startsWith", starts_with_function},
       {"endsWith", ends_with_function},
       {"matches", matches_function},
       {"getFullYear", year_function},
       {"getMonth", month_function},
       {"getDayOfYear", day_of_year_function},
       {"getDayOfMonth", day_of_month_function},
       {"getDate", date_function},
       {"getDayOfWeek", day_of_week_function},
       {"getHours", hours_function},
       {"getMinutes", minutes_function},
       {"getSeconds", seconds_function},
       {"getMilliseconds", milliseconds_function}}};
  return kTable;
}

}  // namespace davit::cel
