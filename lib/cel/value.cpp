#include "lib/cel/value.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "lib/cel/numbers.hpp"

namespace davit::cel {
namespace {

/// Values nest as deep as the tree they come from, which kJsonDepthMax limits, or as the loops that
/// build them: deeper ones are not compared.
constexpr std::size_t kDepthMax = 1'000;
/// Parts of values are shared, so few steps make a value of 2^40 parts. One comparison looks at no
/// more than these.
constexpr std::size_t kPartsMax = 10'000'000;

/// The limits of one comparison.
struct Left {
  std::size_t depth = kDepthMax;
  std::size_t* parts = nullptr;

  [[nodiscard]] Left below() const { return {depth - 1, parts}; }
};

class PlainList : public ListValue {
 public:
  explicit PlainList(std::vector<Value> elements) : elements_(std::move(elements)) {}
  [[nodiscard]] std::size_t size() const override { return elements_.size(); }
  [[nodiscard]] Value at(std::size_t index) const override { return elements_[index]; }

 private:
  const std::vector<Value> elements_;
};

std::uint64_t code_points(std::string_view text) {
  return static_cast<std::uint64_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

Value equal_at(const Value& a, const Value& b, Left left);

Value equal_lists(const ListValue& a, const Value& other, Left left) {
  if (const std::optional<Value> special = a.equals(other)) return *special;
  const ListValue& b = **other.get<ListRef>();
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    Value same = equal_at(a.at(i), b.at(i), left);
    if (!same.is_true()) return same;
  }
  return true;
}

Value equal_maps(const MapValue& a, const MapValue& b, Left left) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::optional<Value> theirs = b.find(a.key_at(i));
    if (!theirs) return false;
    Value same = equal_at(a.value_at(i), *theirs, left);
    if (!same.is_true()) return same;
  }
  return true;
}

Value equal_optional(const Optional& a, const Optional& b, Left left) {
  if (!a.value || !b.value) return !a.value && !b.value;
  return equal_at(*a.value, *b.value, left);
}

Value equal_at(const Value& a, const Value& b, Left left) {
  if (a.is_error()) return a;
  if (b.is_error()) return b;
  if (left.depth == 0) return error_value("values nest too deeply");
  if (*left.parts == 0) return error_value("values are too large to compare");
  --*left.parts;
  if (is_number(a) && is_number(b))
    return compare_numbers(a, b) == std::partial_ordering::equivalent;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case ValueKind::kNull:
      return true;
    case ValueKind::kBool:
      return *a.get<bool>() == *b.get<bool>();
    case ValueKind::kString:
      return a.text() == b.text();
    case ValueKind::kBytes:
      return *a.get<Bytes>()->bytes == *b.get<Bytes>()->bytes;
    case ValueKind::kTimestamp:
      return *a.get<Timestamp>() == *b.get<Timestamp>();
    case ValueKind::kDuration:
      return *a.get<Span>() == *b.get<Span>();
    case ValueKind::kType:
      return a.get<TypeValue>()->name == b.get<TypeValue>()->name;
    case ValueKind::kList:
      return equal_lists(**a.get<ListRef>(), b, left.below());
    case ValueKind::kMap:
      return equal_maps(**a.get<MapRef>(), **b.get<MapRef>(), left.below());
    case ValueKind::kOptional:
      return equal_optional(*a.get<Optional>(), *b.get<Optional>(), left.below());
    case ValueKind::kOpaque:
      break;
    default:
      return false;
  }
  const OpaqueValue& left_value = **a.get<OpaqueRef>();
  const OpaqueValue& right_value = **b.get<OpaqueRef>();
  if (!left_value.has_equality()) return no_such_overload();
  return left_value.type_name() == right_value.type_name() && left_value.equals(right_value);
}

}  // namespace

Text::Text(std::string text) : owner(std::make_shared<const std::string>(std::move(text))) {
  view = *owner;
}

Text Text::borrow(std::string_view text) {
  Text out;
  out.view = text;
  return out;
}

std::string_view Value::text() const {
  const Text* text = get<Text>();
  return text == nullptr ? std::string_view() : text->view;
}

std::string_view Value::error() const {
  const Error* error = get<Error>();
  return error == nullptr ? std::string_view() : std::string_view(*error->message);
}

bool Value::is_true() const {
  const bool* truth = get<bool>();
  return truth != nullptr && *truth;
}

Value text_value(std::string text) { return Text(std::move(text)); }
Value borrowed_text(std::string_view text) { return Text::borrow(text); }
Value bytes_value(std::string bytes) {
  return Bytes{std::make_shared<const std::string>(std::move(bytes))};
}
Value error_value(std::string message) {
  return Error{std::make_shared<const std::string>(std::move(message))};
}
Value list_value(std::vector<Value> elements) {
  return ListRef(std::make_shared<const PlainList>(std::move(elements)));
}
Value optional_none() { return Optional{}; }
Value optional_of(Value value) { return Optional{std::make_shared<const Value>(std::move(value))}; }
Value no_such_overload() { return error_value("no such overload"); }
Value no_such_key(const Value& key) { return error_value("no such key: " + plain_text(key)); }

Value equal(const Value& a, const Value& b) {
  std::size_t parts = kPartsMax;
  return equal_at(a, b, {kDepthMax, &parts});
}

std::string type_name(const Value& value) {
  constexpr std::array<std::string_view, 15> kNames = {"null_type",
                                                       "bool",
                                                       "int",
                                                       "uint",
                                                       "double",
                                                       "string",
                                                       "bytes",
                                                       "google.protobuf.Timestamp",
                                                       "google.protobuf.Duration",
                                                       "type",
                                                       "list",
                                                       "map",
                                                       "optional_type",
                                                       "opaque",
                                                       "error"};
  if (const auto* map = value.get<MapRef>(); map != nullptr && !(*map)->type_name().empty())
    return std::string((*map)->type_name());
  if (const auto* opaque = value.get<OpaqueRef>()) return std::string((*opaque)->type_name());
  return std::string(kNames.at(static_cast<std::size_t>(value.kind())));
}

std::optional<std::uint64_t> size_of(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kString:
      return code_points(value.text());
    case ValueKind::kBytes:
      return value.get<Bytes>()->bytes->size();
    case ValueKind::kList:
      return (*value.get<ListRef>())->size();
    case ValueKind::kMap:
      return (*value.get<MapRef>())->size();
    default:
      return std::nullopt;
  }
}

}  // namespace davit::cel
