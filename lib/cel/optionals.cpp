#include <array>
#include <utility>

#include "lib/cel/arguments.hpp"
#include "lib/cel/functions.hpp"

namespace davit::cel {
namespace {

using Args = std::span<const Value>;

/// Null, false, 0, "", and lists and maps without content.
bool is_zero(const Value& value) {
  if (const std::optional<std::uint64_t> size = size_of(value)) return *size == 0;
  switch (value.kind()) {
    case ValueKind::kNull:
      return true;
    case ValueKind::kBool:
      return !value.is_true();
    case ValueKind::kInt:
      return *value.get<std::int64_t>() == 0;
    case ValueKind::kUint:
      return *value.get<std::uint64_t>() == 0;
    case ValueKind::kDouble:
      return *value.get<double>() == 0;
    case ValueKind::kDuration:
      return value.get<Span>()->nanos == 0;
    case ValueKind::kOptional:
      return !value.get<Optional>()->value;
    default:
      return false;
  }
}

Value of_function(FunctionContext& /*context*/, Args args) {
  return args.size() == 1 ? optional_of(args[0]) : no_overload("optional.of", args);
}

Value of_non_zero_function(FunctionContext& /*context*/, Args args) {
  if (args.size() != 1) return no_overload("optional.ofNonZeroValue", args);
  return is_zero(args[0]) ? optional_none() : optional_of(args[0]);
}

Value none_function(FunctionContext& /*context*/, Args args) {
  return args.empty() ? optional_none() : no_overload("optional.none", args);
}

Value value_function(FunctionContext& /*context*/, Args args) {
  const auto* optional = args.size() == 1 ? args[0].get<Optional>() : nullptr;
  if (optional == nullptr) return no_overload("value", args);
  return optional->value ? *optional->value : error_value("optional.none() dereference");
}

Value has_value_function(FunctionContext& /*context*/, Args args) {
  const auto* optional = args.size() == 1 ? args[0].get<Optional>() : nullptr;
  return optional == nullptr ? no_overload("hasValue", args) : Value(optional->value != nullptr);
}

Value unwrap_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "l")) return no_overload("optional.unwrap", args);
  const ListValue& list = **args[0].get<ListRef>();
  std::vector<Value> out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value element = list.at(i);
    const auto* optional = element.get<Optional>();
    if (optional == nullptr) return error_value("value is not optional");
    if (optional->value) out.push_back(*optional->value);
  }
  return list_value(std::move(out));
}

Value end_of(Args args, std::string_view name) {
  if (!takes(args, "l")) return no_overload(name, args);
  const ListValue& list = **args[0].get<ListRef>();
  if (list.size() == 0) return optional_none();
  return optional_of(list.at(name == "first" ? 0 : list.size() - 1));
}

Value first_function(FunctionContext& /*context*/, Args args) { return end_of(args, "first"); }
Value last_function(FunctionContext& /*context*/, Args args) { return end_of(args, "last"); }

}  // namespace

FunctionTable optional_functions() {
  static constexpr std::array<NamedFunction, 4> kTable = {
      {{"optional.of", of_function},
       {"optional.ofNonZeroValue", of_non_zero_function},
       {"optional.none", none_function},
       {"optional.unwrap", unwrap_function}}};
  return kTable;
}

FunctionTable optional_members() {
  static constexpr std::array<NamedFunction, 5> kTable = {{{"value", value_function},
                                                           {"hasValue", has_value_function},
                                                           {"unwrapOpt", unwrap_function},
                                                           {"first", first_function},
                                                           {"last", last_function}}};
  return kTable;
}

}  // namespace davit::cel
