// The library of quantities.
#include <array>
#include <davit/kube/quantity.hpp>
#include <utility>

#include "lib/cel/arguments.hpp"
#include "lib/cel/functions.hpp"

namespace davit::cel {
namespace {

using Args = std::span<const Value>;

class QuantityValue : public OpaqueValue {
 public:
  QuantityValue(Quantity quantity, std::optional<std::string> text)
      : quantity_(quantity), text_(std::move(text)) {}

  [[nodiscard]] std::string_view type_name() const override { return "kubernetes.Quantity"; }
  [[nodiscard]] bool equals(const OpaqueValue& other) const override {
    const auto* quantity = dynamic_cast<const QuantityValue*>(&other);
    return quantity != nullptr && quantity->quantity_ == quantity_;
  }
  /// Its text as written; a sum has none.
  [[nodiscard]] std::optional<std::string> to_text() const override { return text_; }
  [[nodiscard]] const Quantity& quantity() const { return quantity_; }

 private:
  const Quantity quantity_;
  const std::optional<std::string> text_;
};

const Quantity* quantity_at(Args args, std::size_t index) {
  const auto* value = opaque_as<QuantityValue>(args, index);
  return value == nullptr ? nullptr : &value->quantity();
}

Value quantity_value(const Quantity& quantity, std::optional<std::string> text = std::nullopt) {
  return OpaqueRef(std::make_shared<const QuantityValue>(quantity, std::move(text)));
}

Value quantity_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "s")) return no_overload("quantity", args);
  const Result<QuantityParts> parts = parse_quantity(args[0].text());
  if (!parts) return error_value(parts.error().message());
  return quantity_value(Quantity(*parts), std::string(args[0].text()));
}

Value is_quantity_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "s")) return no_overload("isQuantity", args);
  return Quantity::parse(args[0].text()).has_value();
}

/// A quantity, or an integer as one.
std::optional<Quantity> operand(Args args) {
  if (args.size() != 2) return std::nullopt;
  if (const Quantity* quantity = quantity_at(args, 1)) return *quantity;
  const auto* number = args[1].get<std::int64_t>();
  return number == nullptr ? std::nullopt : Quantity::parse(std::to_string(*number));
}

Value add_function(FunctionContext& /*context*/, Args args) {
  const Quantity* quantity = quantity_at(args, 0);
  const std::optional<Quantity> other = operand(args);
  if (quantity == nullptr || !other) return no_overload("add", args);
  Quantity sum = *quantity;
  return quantity_value(sum += *other);
}

Value sub_function(FunctionContext& /*context*/, Args args) {
  const Quantity* quantity = quantity_at(args, 0);
  const std::optional<Quantity> other = operand(args);
  if (quantity == nullptr || !other) return no_overload("sub", args);
  Quantity difference = *quantity;
  return quantity_value(difference -= *other);
}

Value sign_function(FunctionContext& /*context*/, Args args) {
  const Quantity* quantity = args.size() == 1 ? quantity_at(args, 0) : nullptr;
  if (quantity == nullptr) return no_overload("sign", args);
  const auto order = *quantity <=> Quantity();
  return std::int64_t{order > 0 ? 1 : order < 0 ? -1 : 0};
}

Value as_integer_function(FunctionContext& /*context*/, Args args) {
  const Quantity* quantity = args.size() == 1 ? quantity_at(args, 0) : nullptr;
  if (quantity == nullptr) return no_overload("asInteger", args);
  const std::optional<std::int64_t> number = quantity->integer();
  return number ? Value(*number) : error_value("cannot convert value to integer");
}

Value is_integer_function(FunctionContext& /*context*/, Args args) {
  const Quantity* quantity = args.size() == 1 ? quantity_at(args, 0) : nullptr;
  return quantity == nullptr ? no_overload("isInteger", args)
                             : Value(quantity->integer().has_value());
}

Value as_float_function(FunctionContext& /*context*/, Args args) {
  const Quantity* quantity = args.size() == 1 ? quantity_at(args, 0) : nullptr;
  return quantity == nullptr ? no_overload("asApproximateFloat", args)
                             : Value(quantity->approximate());
}

/// The order of two quantities, or of two semantic versions, whose functions have the same names.
std::optional<std::strong_ordering> order_at(Args args) {
  if (args.size() != 2) return std::nullopt;
  const Quantity* a = quantity_at(args, 0);
  const Quantity* b = quantity_at(args, 1);
  if (a != nullptr && b != nullptr) return *a <=> *b;
  return semver_order(args);
}

Value is_greater_function(FunctionContext& /*context*/, Args args) {
  const std::optional<std::strong_ordering> order = order_at(args);
  return order ? Value(*order > 0) : no_overload("isGreaterThan", args);
}

Value is_less_function(FunctionContext& /*context*/, Args args) {
  const std::optional<std::strong_ordering> order = order_at(args);
  return order ? Value(*order < 0) : no_overload("isLessThan", args);
}

Value compare_to_function(FunctionContext& /*context*/, Args args) {
  const std::optional<std::strong_ordering> order = order_at(args);
  if (!order) return no_overload("compareTo", args);
  return std::int64_t{*order > 0 ? 1 : *order < 0 ? -1 : 0};
}

}  // namespace

FunctionTable quantity_functions() {
  static constexpr std::array<NamedFunction, 3> kTable = {{{"quantity", quantity_function},
                                                           {"isQuantity", is_quantity_function},
                                                           {"sign", sign_function}}};
  return kTable;
}

FunctionTable quantity_members() {
  static constexpr std::array<NamedFunction, 9> kTable = {
      {{"add", add_function},
       {"sub", sub_function},
       {"sign", sign_function},
       {"asInteger", as_integer_function},
       {"isInteger", is_integer_function},
       {"asApproximateFloat", as_float_function},
       {"isGreaterThan", is_greater_function},
       {"isLessThan", is_less_function},
       {"compareTo", compare_to_function}}};
  return kTable;
}

}  // namespace davit::cel
