/// Operators and accesses of evaluated operands.
#pragma once

#include <compare>
#include <optional>
#include <string_view>

#include "lib/cel/value.hpp"

namespace davit::cel {

/// The result of an operator with strict operands (not &&, ||, ?: and accesses): the first operand
/// that is an error, or else the value. Nothing if `function` is not such an operator.
[[nodiscard]] std::optional<Value> binary_operator(std::string_view function, const Value& a,
                                                   const Value& b);
/// The order of two values of one type, or two numbers; nothing if they have none.
[[nodiscard]] std::optional<std::partial_ordering> order_of(const Value& a, const Value& b);
/// a[key] or a.key; an error if there is none.
[[nodiscard]] Value access(const Value& operand, const Value& key);
/// The same if it is there. An absent optional operand has nothing.
[[nodiscard]] std::optional<Value> find_member(const Value& operand, const Value& key);

}  // namespace davit::cel
