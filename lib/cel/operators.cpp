#include "lib/cel/operators.hpp"

#include <cmath>
#include <limits>

#include "lib/cel/ast.hpp"
#include "lib/cel/numbers.hpp"

namespace davit::cel {
namespace {

Value compared(std::string_view function, const Value& a, const Value& b) {
  const std::optional<std::partial_ordering> order = order_of(a, b);
  if (!order) return no_such_overload();
  if (*order == std::partial_ordering::unordered)
    return error_value("NaN values cannot be ordered");
  if (function == operators::kLess) return *order < 0;
  if (function == operators::kLessEquals) return *order <= 0;
  if (function == operators::kGreater) return *order > 0;
  return *order >= 0;
}

Value contains(const Value& element, const Value& container) {
  if (const auto* list = container.get<ListRef>()) {
    for (std::size_t i = 0; i < (*list)->size(); ++i) {
      Value same = equal((*list)->at(i), element);
      if (same.is_error() || same.is_true()) return same;
    }
    return false;
  }
  const auto* map = container.get<MapRef>();
  if (map == nullptr) return no_such_overload();
  const std::optional<Value> found = (*map)->find(element);
  if (found && found->is_error()) return *found;
  return found.has_value();
}

/// The element of a list for an index of any numeric type; nothing beyond its ends.
std::optional<Value> element_of(const ListValue& list, const Value& key) {
  if (!is_number(key)) {
    return error_value("unsupported index type '" + type_name(key) + "' in list");
  }
  if (const auto* real = key.get<double>(); real != nullptr && std::trunc(*real) != *real)
    return error_value("unsupported index value " + general_text(*real) + " in list");
  const Value size = static_cast<std::uint64_t>(list.size());
  if (compare_numbers(key, Value(std::int64_t{0})) < 0 || !(compare_numbers(key, size) < 0))
    return std::nullopt;
  if (const auto* index = key.get<std::int64_t>()) return list.at(static_cast<std::size_t>(*index));
  if (const auto* index = key.get<std::uint64_t>()) return list.at(*index);
  return list.at(static_cast<std::size_t>(*key.get<double>()));
}

char sign_of(std::string_view function) {
  for (const std::string_view name : {operators::kAdd, operators::kSubtract, operators::kMultiply,
                                      operators::kDivide, operators::kModulo}) {
    if (function == name) return name[1];
  }
  return '\0';
}

}  // namespace

std::optional<std::partial_ordering> order_of(const Value& a, const Value& b) {
  if (is_number(a) && is_number(b)) return compare_numbers(a, b);
  if (a.kind() != b.kind()) return std::nullopt;
  switch (a.kind()) {
    case ValueKind::kBool:
      return *a.get<bool>() <=> *b.get<bool>();
    case ValueKind::kString:
      return a.text() <=> b.text();
    case ValueKind::kBytes:
      return *a.get<Bytes>()->bytes <=> *b.get<Bytes>()->bytes;
    case ValueKind::kTimestamp:
      return *a.get<Timestamp>() <=> *b.get<Timestamp>();
    case ValueKind::kDuration:
      return *a.get<Span>() <=> *b.get<Span>();
    default:
      return std::nullopt;
  }
}

std::optional<Value> binary_operator(std::string_view function, const Value& a, const Value& b) {
  if (a.is_error()) return a;
  if (b.is_error()) return b;
  if (const char sign = sign_of(function); sign != '\0') return arithmetic(sign, a, b);
  if (function == operators::kEquals) return equal(a, b);
  if (function == operators::kNotEquals) {
    Value same = equal(a, b);
    if (same.is_error()) return same;
    return !same.is_true();
  }
  if (function == operators::kIn) return contains(a, b);
  if (function == operators::kLess || function == operators::kLessEquals ||
      function == operators::kGreater || function == operators::kGreaterEquals)
    return compared(function, a, b);
  return std::nullopt;
}

std::optional<Value> find_member(const Value& operand, const Value& key) {
  if (operand.is_error()) return operand;
  if (key.is_error()) return key;
  if (const auto* optional = operand.get<Optional>())
    return optional->value ? find_member(*optional->value, key) : std::nullopt;
  if (const auto* map = operand.get<MapRef>()) return (*map)->find(key);
  if (const auto* list = operand.get<ListRef>()) return element_of(**list, key);
  return std::nullopt;
}

Value access(const Value& operand, const Value& key) {
  std::optional<Value> found = find_member(operand, key);
  if (found) return *found;
  if (operand.kind() == ValueKind::kList)
    return error_value("index out of bounds: " + plain_text(key));
  return no_such_key(key);
}

}  // namespace davit::cel
