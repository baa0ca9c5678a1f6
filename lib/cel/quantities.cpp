// The library of quantities.
#include <algorithm>
#include <array>
#include <cmath>
#include <davit/kube/quantity.hpp>
#include <utility>

#include "lib/cel/arguments.hpp"
#include "lib/cel/functions.hpp"

namespace davit::cel {
namespace {

using Args = std::span<const Value>;

/// An integer of 64 bits and a power of ten. k8s: int64Amount of k8s.io/apimachinery.
struct ShortAmount {
  std::int64_t value = 0;
  std::int64_t scale = 0;

  /// The value at another scale; nothing if that is finer than what is asked for, or too large.
  [[nodiscard]] std::optional<std::int64_t> at(std::int64_t other) const {
    if (scale < other) return std::nullopt;
    std::int64_t out = value;
    for (std::int64_t i = other; i < scale && out != 0; ++i) {
      if (__builtin_mul_overflow(out, 10, &out)) return std::nullopt;
    }
    return out;
  }

  /// Nothing: the sum needs more than 64 bits.
  [[nodiscard]] static std::optional<ShortAmount> sum(const ShortAmount& a, const ShortAmount& b) {
    if (b.value == 0) return a;
    if (a.value == 0) return b;
    const std::int64_t scale = std::min(a.scale, b.scale);
    const std::optional<std::int64_t> left = a.at(scale);
    const std::optional<std::int64_t> right = b.at(scale);
    ShortAmount out{0, scale};
    if (!left || !right || __builtin_add_overflow(*left, *right, &out.value)) return std::nullopt;
    return out;
  }
};

/// A quantity of any size. Upstream takes only numbers for integers that it holds in 64 bits, with
/// a power of ten: `brief_`.
class Amount {
 public:
  using Wide = Quantity::Wide;

  /// The number that parse_quantity() has read in `text`.
  Amount(std::string_view text, const QuantityParts& parts) : brief_(brief_of(text, parts)) {
    if (parts.value == 0) {
      nanos_ = parts.lost ? 1 : 0;
      return;
    }
    rough_ = static_cast<long double>(parts.value) *
             std::pow(10.0L, static_cast<long double>(parts.decimal)) *
             std::ldexp(1.0L, parts.binary);
    const bool capped = parts.format == QuantityFormat::kBinary;
    if (capped) rough_ = std::min(rough_, static_cast<long double>(INT64_MAX));
    if (rough_ < kExactBelow)
      nanos_ = capped ? static_cast<Wide>(parts.nanos()) : wide_nanos(parts);
    if (parts.negative) negate();
  }
  explicit Amount(std::int64_t number)
      : brief_(ShortAmount{number, 0}), nanos_(Wide{number} * kOne), rough_(number) {}

  [[nodiscard]] Amount negated() const {
    Amount out = *this;
    out.negate();
    return out;
  }
  [[nodiscard]] static Amount sum(const Amount& a, const Amount& b) {
    Amount out = a;
    out.brief_.reset();
    if (a.brief_ && b.brief_) out.brief_ = ShortAmount::sum(*a.brief_, *b.brief_);
    out.rough_ += b.rough_;
    out.nanos_.reset();
    const bool fits = std::fabs(out.rough_) < kExactBelow;
    if (fits && a.nanos_ && b.nanos_) out.nanos_ = *a.nanos_ + *b.nanos_;
    return out;
  }

  [[nodiscard]] std::optional<std::int64_t> integer() const {
    return brief_ ? brief_->at(0) : std::nullopt;
  }
  [[nodiscard]] double approximate() const {
    if (!nanos_) return static_cast<double>(rough_);
    return static_cast<double>(*nanos_) / static_cast<double>(kOne);
  }
  /// Below, at or above: -1, 0, 1.
  [[nodiscard]] static int order(const Amount& a, const Amount& b) {
    if (a.nanos_ && b.nanos_) return a.nanos_ < b.nanos_ ? -1 : a.nanos_ > b.nanos_ ? 1 : 0;
    return a.rough_ < b.rough_ ? -1 : a.rough_ > b.rough_ ? 1 : 0;
  }

 private:
  static constexpr Wide kOne = QuantityParts::kNanosPerOne;
  /// Such numbers and sums of two fit into 127 bits of units of 10^-9.
  static constexpr long double kExactBelow = 8e28L;

  void negate() {
    if (brief_) brief_->value = -brief_->value;
    if (nanos_) nanos_ = -*nanos_;
    rough_ = -rough_;
  }

  static Wide wide_nanos(const QuantityParts& parts) {
    QuantityParts::Wide out = parts.value;
    bool rest = parts.lost;
    std::int64_t shift = parts.decimal + 9;
    for (; shift > 0 && out != 0; --shift) out *= 10;
    for (; shift < 0 && out != 0; ++shift) {
      rest = rest || out % 10 != 0;
      out /= 10;
    }
    return static_cast<Wide>(out + (rest ? 1 : 0));
  }

  /// k8s: the first half of ParseQuantity.
  static std::optional<ShortAmount> brief_of(std::string_view text, const QuantityParts& parts) {
    constexpr std::int64_t kDigitsMax = 18;
    constexpr std::int64_t kBinaryDigitsMax = 14;
    const std::size_t end = std::min(text.find_first_not_of("+-.0123456789"), text.size());
    const std::size_t start = text.find_first_not_of("+-0");
    const std::string_view number = start < end ? text.substr(start, end - start) : "";
    const std::size_t point = std::min(number.find('.'), number.size());
    const auto whole = static_cast<std::int64_t>(std::max<std::size_t>(point, 1));
    const auto fraction =
        static_cast<std::int64_t>(point == number.size() ? 0 : number.size() - point - 1);
    ShortAmount out{0, parts.decimal};
    const bool is_binary = parts.format == QuantityFormat::kBinary;
    // 1Mi has about six digits.
    const std::int64_t digits = whole + (is_binary ? parts.binary * 3 / 10 : fraction);
    if (digits > (is_binary ? kBinaryDigitsMax : kDigitsMax)) return std::nullopt;
    if (is_binary ? fraction != 0 : parts.decimal < -9) return std::nullopt;
    const auto value = static_cast<std::int64_t>(parts.value);
    if (__builtin_mul_overflow(value, std::int64_t{1} << parts.binary, &out.value)) {
      return std::nullopt;
    }
    return out;
  }

  std::optional<ShortAmount> brief_;
  std::optional<Wide> nanos_;  ///< In units of 10^-9; nothing: too large, see `rough_`.
  long double rough_ = 0;
};

class QuantityValue : public OpaqueValue {
 public:
  QuantityValue(Amount amount, std::optional<std::string> text)
      : amount_(std::move(amount)), text_(std::move(text)) {}

  [[nodiscard]] std::string_view type_name() const override { return "kubernetes.Quantity"; }
  [[nodiscard]] bool equals(const OpaqueValue& other) const override {
    const auto* quantity = dynamic_cast<const QuantityValue*>(&other);
    return quantity != nullptr && Amount::order(quantity->amount_, amount_) == 0;
  }
  /// Its text as written; a sum has none.
  [[nodiscard]] std::optional<std::string> to_text() const override { return text_; }
  [[nodiscard]] const Amount& amount() const { return amount_; }

 private:
  const Amount amount_;
  const std::optional<std::string> text_;
};

const Amount* amount_at(Args args, std::size_t index) {
  const auto* value = opaque_as<QuantityValue>(args, index);
  return value == nullptr ? nullptr : &value->amount();
}

Value quantity_value(const Amount& amount, std::optional<std::string> text = std::nullopt) {
  return OpaqueRef(std::make_shared<const QuantityValue>(amount, std::move(text)));
}

Value quantity_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "s")) return no_overload("quantity", args);
  const Result<QuantityParts> parts = parse_quantity(args[0].text());
  if (!parts) return error_value(parts.error().message());
  return quantity_value(Amount(args[0].text(), *parts), std::string(args[0].text()));
}

Value is_quantity_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "s")) return no_overload("isQuantity", args);
  return parse_quantity(args[0].text()).has_value();
}

/// A quantity, or an integer as one.
std::optional<Amount> operand(Args args) {
  if (args.size() != 2) return std::nullopt;
  if (const Amount* amount = amount_at(args, 1)) return *amount;
  const auto* number = args[1].get<std::int64_t>();
  return number == nullptr ? std::nullopt : std::optional(Amount(*number));
}

Value add_function(FunctionContext& /*context*/, Args args) {
  const Amount* amount = amount_at(args, 0);
  const std::optional<Amount> other = operand(args);
  if (amount == nullptr || !other) return no_overload("add", args);
  return quantity_value(Amount::sum(*amount, *other));
}

Value sub_function(FunctionContext& /*context*/, Args args) {
  const Amount* amount = amount_at(args, 0);
  const std::optional<Amount> other = operand(args);
  if (amount == nullptr || !other) return no_overload("sub", args);
  return quantity_value(Amount::sum(*amount, other->negated()));
}

Value sign_function(FunctionContext& /*context*/, Args args) {
  const Amount* amount = args.size() == 1 ? amount_at(args, 0) : nullptr;
  if (amount == nullptr) return no_overload("sign", args);
  return std::int64_t{Amount::order(*amount, Amount(0))};
}

Value as_integer_function(FunctionContext& /*context*/, Args args) {
  const Amount* amount = args.size() == 1 ? amount_at(args, 0) : nullptr;
  if (amount == nullptr) return no_overload("asInteger", args);
  const std::optional<std::int64_t> number = amount->integer();
  return number ? Value(*number) : error_value("cannot convert value to integer");
}

Value is_integer_function(FunctionContext& /*context*/, Args args) {
  const Amount* amount = args.size() == 1 ? amount_at(args, 0) : nullptr;
  return amount == nullptr ? no_overload("isInteger", args) : Value(amount->integer().has_value());
}

Value as_float_function(FunctionContext& /*context*/, Args args) {
  const Amount* amount = args.size() == 1 ? amount_at(args, 0) : nullptr;
  return amount == nullptr ? no_overload("asApproximateFloat", args) : Value(amount->approximate());
}

/// The order of two quantities, or of two semantic versions, whose functions have the same names.
std::optional<std::strong_ordering> order_at(Args args) {
  if (args.size() != 2) return std::nullopt;
  const Amount* a = amount_at(args, 0);
  const Amount* b = amount_at(args, 1);
  if (a != nullptr && b != nullptr) return Amount::order(*a, *b) <=> 0;
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
