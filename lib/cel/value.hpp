/// The values of the Common Expression Language.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit::cel {

class Value;
class ListValue;
class MapValue;
class OpaqueValue;

struct Null {};
/// UTF-8. A view into a tree that outlives the value, or into `owner`.
struct Text {
  Text() = default;
  explicit Text(std::string text);
  /// Borrows `text`.
  static Text borrow(std::string_view text);
  std::string_view view;
  std::shared_ptr<const std::string> owner;
};
struct Bytes {
  std::shared_ptr<const std::string> bytes;  ///< Never null.
};
/// Since 1970 in UTC; years 1 to 9999.
struct Timestamp {
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;   ///< 0 to 999,999,999.
  std::int32_t offset = 0;  ///< Seconds east of UTC in the text that it was read from.
  /// The offset has no part in the order.
  friend std::strong_ordering operator<=>(const Timestamp& a, const Timestamp& b) {
    return std::pair(a.seconds, a.nanos) <=> std::pair(b.seconds, b.nanos);
  }
  friend bool operator==(const Timestamp& a, const Timestamp& b) { return (a <=> b) == 0; }
};
/// Go's time.Duration.
struct Span {
  std::int64_t nanos = 0;
  friend auto operator<=>(const Span&, const Span&) = default;
};
/// A type as a value: type(1) == int.
struct TypeValue {
  std::string name;
};
struct Optional {
  std::shared_ptr<const Value> value;  ///< Null: optional.none().
};
/// Why an evaluation failed, as cel-go words it.
struct Error {
  std::shared_ptr<const std::string> message;  ///< Never null.
};
using ListRef = std::shared_ptr<const ListValue>;
using MapRef = std::shared_ptr<const MapValue>;
using OpaqueRef = std::shared_ptr<const OpaqueValue>;

enum class ValueKind : std::uint8_t {
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTimestamp,
  kDuration,
  kType,
  kList,
  kMap,
  kOptional,
  kOpaque,
  kError,
};

/// Whether T is one of the types of the std::variant V.
template <typename T, typename V>
inline constexpr bool kIsAlternative = false;
template <typename T, typename... Types>
inline constexpr bool kIsAlternative<T, std::variant<Types...>> = (std::is_same_v<T, Types> || ...);

/// A value. Copies are cheap and share. Immutable; thread-safe unless it borrows from a tree that
/// changes.
class Value {
 public:
  /// In the order of ValueKind.
  using Data = std::variant<Null, bool, std::int64_t, std::uint64_t, double, Text, Bytes, Timestamp,
                            Span, TypeValue, ListRef, MapRef, Optional, OpaqueRef, Error>;

  Value() = default;  ///< Null.
  template <typename T>
  requires kIsAlternative<T, Data> Value(T data)
      : data_(std::in_place_type<T>, std::move(data)) {}  // NOLINT

  [[nodiscard]] ValueKind kind() const { return static_cast<ValueKind>(data_.index()); }
  [[nodiscard]] bool is_error() const { return kind() == ValueKind::kError; }
  /// Null if it is of another kind.
  template <typename T>
  [[nodiscard]] const T* get() const {
    return std::get_if<T>(&data_);
  }
  /// The text of a string; "" for everything else.
  [[nodiscard]] std::string_view text() const;
  /// The message of an error; "" for everything else.
  [[nodiscard]] std::string_view error() const;
  /// True only for the boolean.
  [[nodiscard]] bool is_true() const;

 private:
  Data data_;
};

[[nodiscard]] Value text_value(std::string text);
[[nodiscard]] Value borrowed_text(std::string_view text);
[[nodiscard]] Value bytes_value(std::string bytes);
[[nodiscard]] Value error_value(std::string message);
[[nodiscard]] Value list_value(std::vector<Value> elements);
[[nodiscard]] Value optional_none();
[[nodiscard]] Value optional_of(Value value);
/// "no such overload"
[[nodiscard]] Value no_such_overload();
/// "no such key: KEY"
[[nodiscard]] Value no_such_key(const Value& key);

/// A tree without schema: objects are maps with keys of text; numbers without fraction and exponent
/// are int, other numbers double. Borrows the tree, which must outlive every value made from it.
[[nodiscard]] Value json_value(const Json& json);
/// The other way: what a result is in JSON. Timestamps, durations and quantities become their text,
/// bytes base64, absent optional values leave out their member. An error for values that JSON does
/// not have (types, maps with other keys than text), or that are deeper than 100.
[[nodiscard]] Result<Json> to_json(const Value& value);

/// A list. Elements may be made when they are read. Immutable.
class ListValue {
 public:
  ListValue() = default;
  ListValue(const ListValue&) = delete;
  ListValue& operator=(const ListValue&) = delete;
  virtual ~ListValue() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  /// `index` < size().
  [[nodiscard]] virtual Value at(std::size_t index) const = 0;
  /// Equality other than element by element, such as that of sets. Nothing: the usual one.
  [[nodiscard]] virtual std::optional<Value> equals(const Value& /*other*/) const {
    return std::nullopt;
  }
  /// this + other, if it is not the plain concatenation: x-kubernetes-list-type set and map.
  [[nodiscard]] virtual std::optional<Value> plus(const ListValue& /*other*/) const {
    return std::nullopt;
  }
};

/// A map, or an object with fields. Immutable.
class MapValue {
 public:
  MapValue() = default;
  MapValue(const MapValue&) = delete;
  MapValue& operator=(const MapValue&) = delete;
  virtual ~MapValue() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  /// The value of a key or of a field; nothing if there is none. An error for a key of a type that
  /// the map does not take.
  [[nodiscard]] virtual std::optional<Value> find(const Value& key) const = 0;
  /// Keys in the order in which comprehensions visit them. `index` < size().
  [[nodiscard]] virtual Value key_at(std::size_t index) const = 0;
  [[nodiscard]] virtual Value value_at(std::size_t index) const = 0;
  /// The type of an object; "" for a map. has() and select work alike on both.
  [[nodiscard]] virtual std::string_view type_name() const { return {}; }
};

/// A value of a type that a library adds: quantities, URLs, IP addresses, authorizers.
class OpaqueValue {
 public:
  OpaqueValue() = default;
  OpaqueValue(const OpaqueValue&) = delete;
  OpaqueValue& operator=(const OpaqueValue&) = delete;
  virtual ~OpaqueValue() = default;

  /// "kubernetes.Quantity"; lives as long as the value.
  [[nodiscard]] virtual std::string_view type_name() const = 0;
  /// `other` has the same type_name().
  [[nodiscard]] virtual bool equals(const OpaqueValue& other) const = 0;
  /// False: comparing two of them is an error.
  [[nodiscard]] virtual bool has_equality() const { return true; }
  /// Calls a member function that no library has. Nothing: there is no such function.
  [[nodiscard]] virtual std::optional<Value> call(std::string_view /*function*/,
                                                  std::span<const Value> /*args*/) const {
    return std::nullopt;
  }
  /// The size that costs count with: of an address its bytes, of a format the longest expression.
  [[nodiscard]] virtual std::uint64_t cost_size() const { return 1; }
  /// Text for to_json(); nothing if it has none.
  [[nodiscard]] virtual std::optional<std::string> to_text() const { return std::nullopt; }
};

/// a == b: across numeric types by value, false across other types; an error if either is one.
[[nodiscard]] Value equal(const Value& a, const Value& b);
/// The name of a value's type as type() has it: "int", "google.protobuf.Timestamp", "list".
[[nodiscard]] std::string type_name(const Value& value);
/// size() of text (code points), bytes, lists and maps; nothing for everything else.
[[nodiscard]] std::optional<std::uint64_t> size_of(const Value& value);

}  // namespace davit::cel
