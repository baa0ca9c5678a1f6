#include "lib/cel/numbers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "lib/cel/moments.hpp"

namespace davit::cel {
namespace {

constexpr std::string_view kIntOverflow = "integer overflow";
constexpr std::string_view kUintOverflow = "unsigned integer overflow";

/// `value` is read after the operation whose result it is, hence by reference.
Value overflow(bool overflows, const std::int64_t& value, std::string_view message = kIntOverflow) {
  return overflows ? error_value(std::string(message)) : Value(value);
}

Value int_arithmetic(char op, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (op == '+') return overflow(__builtin_add_overflow(a, b, &out), out);
  if (op == '-') return overflow(__builtin_sub_overflow(a, b, &out), out);
  if (op == '*') return overflow(__builtin_mul_overflow(a, b, &out), out);
  if (b == 0) return error_value(op == '/' ? "division by zero" : "modulus by zero");
  if (a == std::numeric_limits<std::int64_t>::min() && b == -1)
    return error_value(std::string(kIntOverflow));
  return op == '/' ? a / b : a % b;
}

Value uint_arithmetic(char op, std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  bool overflows = false;
  if (op == '+') overflows = __builtin_add_overflow(a, b, &out);
  if (op == '-') overflows = __builtin_sub_overflow(a, b, &out);
  if (op == '*') overflows = __builtin_mul_overflow(a, b, &out);
  if (overflows) return error_value(std::string(kUintOverflow));
  if (op != '/' && op != '%') return out;
  if (b == 0) return error_value(op == '/' ? "division by zero" : "modulus by zero");
  return op == '/' ? a / b : a % b;
}

Value double_arithmetic(char op, double a, double b) {
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    default:
      return no_such_overload();
  }
}

/// Two lists behind each other, without a copy.
class JoinedList : public ListValue {
 public:
  JoinedList(ListRef front, ListRef back, std::size_t depth)
      : front_(std::move(front)), back_(std::move(back)), depth_(depth) {}
  [[nodiscard]] std::size_t size() const override { return front_->size() + back_->size(); }
  [[nodiscard]] Value at(std::size_t index) const override {
    const std::size_t front = front_->size();
    return index < front ? front_->at(index) : back_->at(index - front);
  }
  [[nodiscard]] std::size_t depth() const { return depth_; }

 private:
  const ListRef front_;
  const ListRef back_;
  const std::size_t depth_;
};

std::size_t depth_of(const ListRef& list) {
  const auto* joined = dynamic_cast<const JoinedList*>(list.get());
  return joined == nullptr ? 0 : joined->depth();
}

Value add_lists(const ListRef& a, const ListRef& b) {
  if (std::optional<Value> special = a->plus(*b)) return *special;
  if (a->size() == 0) return b;
  if (b->size() == 0) return a;
  // Few levels, because each read descends them.
  constexpr std::size_t kLevelsMax = 4;
  constexpr std::size_t kCopiedMax = 64;
  const std::size_t depth = std::max(depth_of(a), depth_of(b)) + 1;
  if (a->size() + b->size() > kCopiedMax && depth <= kLevelsMax)
    return ListRef(std::make_shared<const JoinedList>(a, b, depth));
  std::vector<Value> all;
  all.reserve(a->size() + b->size());
  for (std::size_t i = 0; i < a->size(); ++i) all.push_back(a->at(i));
  for (std::size_t i = 0; i < b->size(); ++i) all.push_back(b->at(i));
  return list_value(std::move(all));
}

std::partial_ordering compare_int_uint(std::int64_t a, std::uint64_t b) {
  if (a < 0) return std::partial_ordering::less;
  return static_cast<std::uint64_t>(a) <=> b;
}

std::partial_ordering reversed(std::partial_ordering order) { return 0 <=> order; }

std::string float_text(double value, std::chars_format format) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 400> out{};  // The longest double has 309 digits before its point.
  const auto [end, error] = std::to_chars(out.data(), out.data() + out.size(), value, format);
  return {out.data(), end};
}

}  // namespace

bool is_number(const Value& value) {
  return value.kind() == ValueKind::kInt || value.kind() == ValueKind::kUint ||
         value.kind() == ValueKind::kDouble;
}

std::partial_ordering compare_numbers(const Value& a, const Value& b) {
  if (const auto* whole = a.get<std::int64_t>()) {
    if (const auto* other = b.get<std::int64_t>()) return *whole <=> *other;
    if (const auto* other = b.get<std::uint64_t>()) return compare_int_uint(*whole, *other);
    return static_cast<double>(*whole) <=> *b.get<double>();
  }
  if (const auto* whole = a.get<std::uint64_t>()) {
    if (const auto* other = b.get<std::uint64_t>()) return *whole <=> *other;
    if (const auto* other = b.get<std::int64_t>())
      return reversed(compare_int_uint(*other, *whole));
    return static_cast<double>(*whole) <=> *b.get<double>();
  }
  if (const auto* other = b.get<double>()) return *a.get<double>() <=> *other;
  return reversed(compare_numbers(b, a));
}

Value arithmetic(char op, const Value& a, const Value& b) {
  if (a.is_error()) return a;
  if (b.is_error()) return b;
  if (std::optional<Value> moment = moment_arithmetic(op, a, b)) return *moment;
  if (a.kind() != b.kind()) return no_such_overload();
  switch (a.kind()) {
    case ValueKind::kInt:
      return int_arithmetic(op, *a.get<std::int64_t>(), *b.get<std::int64_t>());
    case ValueKind::kUint:
      return uint_arithmetic(op, *a.get<std::uint64_t>(), *b.get<std::uint64_t>());
    case ValueKind::kDouble:
      return double_arithmetic(op, *a.get<double>(), *b.get<double>());
    default:
      break;
  }
  if (op != '+') return no_such_overload();
  if (a.kind() == ValueKind::kString) return text_value(std::string(a.text()).append(b.text()));
  if (a.kind() == ValueKind::kBytes)
    return bytes_value(*a.get<Bytes>()->bytes + *b.get<Bytes>()->bytes);
  if (a.kind() == ValueKind::kList) return add_lists(*a.get<ListRef>(), *b.get<ListRef>());
  return no_such_overload();
}

Value negate(const Value& value) {
  if (const auto* whole = value.get<std::int64_t>()) return int_arithmetic('-', 0, *whole);
  if (const auto* real = value.get<double>()) return -*real;
  if (const auto* span = value.get<Span>()) {
    if (span->nanos == std::numeric_limits<std::int64_t>::min())
      return error_value("duration overflow");
    return Span{-span->nanos};
  }
  return value.is_error() ? value : no_such_overload();
}

std::string general_text(double value) {
  const double size = std::fabs(value);
  constexpr double kExponentFrom = 1e6;
  constexpr double kExponentBelow = 1e-4;
  if (size == 0 || (size >= kExponentBelow && size < kExponentFrom) || !std::isfinite(value))
    return float_text(value, std::chars_format::fixed);
  return float_text(value, std::chars_format::scientific);
}

std::string decimal_text(double value) { return float_text(value, std::chars_format::fixed); }

std::optional<double> parse_double(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+') || digits.starts_with('-')) digits.remove_prefix(1);
  const double sign = text.starts_with('-') ? -1 : 1;
  const auto is = [&digits](std::string_view word) {
    return digits.size() == word.size() &&
           std::equal(word.begin(), word.end(), digits.begin(), [](char a, char b) {
             return a == b || (b >= 'A' && b <= 'Z' && a == b + 32);
           });
  };
  if (is("inf") || is("infinity")) return sign * std::numeric_limits<double>::infinity();
  if (is("nan")) return std::numeric_limits<double>::quiet_NaN();
  if (digits.empty() || (digits[0] != '.' && (digits[0] < '0' || digits[0] > '9')))
    return std::nullopt;
  double out = 0;
  const char* end = digits.data() + digits.size();
  const auto [last, error] = std::from_chars(digits.data(), end, out);
  if (last != end) return std::nullopt;
  if (error == std::errc()) return sign * out;
  // Too small reads as zero; too large is refused.
  out = std::strtod(std::string(digits).c_str(), nullptr);
  return std::isinf(out) ? std::nullopt : std::optional(sign * out);
}

std::string plain_text(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull:
      return "null";
    case ValueKind::kBool:
      return value.is_true() ? "true" : "false";
    case ValueKind::kInt:
      return std::to_string(*value.get<std::int64_t>());
    case ValueKind::kUint:
      return std::to_string(*value.get<std::uint64_t>());
    case ValueKind::kDouble:
      return general_text(*value.get<double>());
    case ValueKind::kString:
      return std::string(value.text());
    case ValueKind::kBytes:
      return *value.get<Bytes>()->bytes;
    case ValueKind::kTimestamp:
      return timestamp_text(*value.get<Timestamp>());
    case ValueKind::kDuration:
      return duration_text(*value.get<Span>());
    case ValueKind::kType:
      return value.get<TypeValue>()->name;
    case ValueKind::kError:
      return std::string(value.error());
    default:
      return "";
  }
}

Value json_number(std::string_view text) {
  std::int64_t whole = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, whole);
  if (error == std::errc() && last == end) return whole;
  return parse_double(text).value_or(std::numeric_limits<double>::infinity());
}

}  // namespace davit::cel
