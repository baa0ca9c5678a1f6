/// Arithmetic with the checks of the Common Expression Language, and numbers as Go writes them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/cel/value.hpp"

namespace davit::cel {

/// int, uint or double.
[[nodiscard]] bool is_number(const Value& value);
/// Compares across the types; unordered with a NaN. Both are numbers. An integer and a double
/// compare as doubles, as upstream.
[[nodiscard]] std::partial_ordering compare_numbers(const Value& a, const Value& b);
/// a OPERATOR b for `+`, `-`, `*`, `/` and `%`, of one type; an error for overflow and for division
/// by zero. `+` also takes text, bytes, lists, timestamps and durations.
[[nodiscard]] Value arithmetic(char op, const Value& a, const Value& b);
[[nodiscard]] Value negate(const Value& value);

/// Go's %g: the shortest text, with an exponent from 1e+06 on.
[[nodiscard]] std::string general_text(double value);
/// The shortest text without exponent.
[[nodiscard]] std::string decimal_text(double value);
/// strconv.ParseFloat; nothing for text that is not a number.
[[nodiscard]] std::optional<double> parse_double(std::string_view text);
/// The text of a value in messages such as "no such key: KEY"; "" for lists and maps.
[[nodiscard]] std::string plain_text(const Value& value);
/// A JSON number: int if it has neither fraction nor exponent and fits, else double.
[[nodiscard]] Value json_number(std::string_view text);

}  // namespace davit::cel
