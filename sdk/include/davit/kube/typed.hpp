/// The parts that the views of `davit codegen` are made of: objects, typed lists and maps, enums.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <davit/kube/condition.hpp>
#include <davit/kube/duration.hpp>
#include <davit/kube/metadata.hpp>
#include <davit/kube/quantity.hpp>
#include <davit/kube/time.hpp>
#include <davit/object.hpp>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace davit::typed {

/// The base of views of JSON objects inside a Kubernetes object. Everything read of an absent part
/// is absent. Lives like the Value that it was made from.
class Part {
 public:
  explicit Part(Value raw) : raw_(raw) {}

  /// Whether the object has this part.
  explicit operator bool() const { return static_cast<bool>(raw_); }
  /// The part itself, with members that the schema does not have.
  [[nodiscard]] Value raw() const { return raw_; }

 private:
  Value raw_;
};

/// Metadata of a template: labels and annotations for objects made from it.
class MetadataPart : public Part {
 public:
  using Part::Part;

  [[nodiscard]] std::string_view name() const { return raw()[&Names::name].string(); }
  [[nodiscard]] Value labels() const { return raw()[&Names::labels]; }
  [[nodiscard]] Value annotations() const { return raw()[&Names::annotations]; }
};

/// A value that is an integer or a string: a port by number or name, a count or percentage.
class IntOrString {
 public:
  explicit IntOrString(Value raw) : raw_(raw) {}

  explicit operator bool() const { return static_cast<bool>(raw_); }
  /// Nothing if it is a string.
  [[nodiscard]] std::optional<std::int64_t> integer() const { return raw_.integer(); }
  /// Nothing if it is an integer.
  [[nodiscard]] std::optional<std::string_view> text() const { return raw_.text(); }
  /// For IntOrPercent::parse.
  [[nodiscard]] Value raw() const { return raw_; }

 private:
  Value raw_;
};

/// Nothing if the value is not a number.
[[nodiscard]] inline std::optional<double> number(Value value) {
  const std::string_view text = value.number();
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool whole = !text.empty() && end == text.data() + text.size();
  return whole && error == std::errc() ? std::optional(out) : std::nullopt;
}

/// A quantity written as a string or a number; nothing for everything else.
[[nodiscard]] inline std::optional<Quantity> quantity(Value value) { return Quantity::read(value); }

/// The text of an enumerator; "" for kUnrecognized. `texts_of(E)` is found by argument-dependent
/// lookup and lists the texts in the order of the enumerators.
template <typename Enum>
[[nodiscard]] constexpr std::string_view enum_text(Enum value) {
  return texts_of(value)[static_cast<std::size_t>(value)];
}

/// kUnrecognized for a text that the schema does not list.
template <typename Enum>
[[nodiscard]] constexpr Enum parse_enum(std::string_view text) {
  constexpr auto kTexts = texts_of(Enum{});
  for (std::size_t i = 1; i < kTexts.size(); ++i) {
    if (kTexts[i] == text) return static_cast<Enum>(i);
  }
  return Enum::kUnrecognized;
}

/// Nothing if the value is absent.
template <typename Enum>
[[nodiscard]] std::optional<Enum> enum_value(Value value) {
  if (const std::optional<std::string_view> text = value.text()) return parse_enum<Enum>(*text);
  return value ? std::optional(Enum::kUnrecognized) : std::nullopt;
}

/// An element of a list or map as a T; an element of another type reads as T's empty value.
template <typename T>
[[nodiscard]] T read(Value value) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return value.string();
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return value.integer_or(0);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value.is_true();
  } else if constexpr (std::is_same_v<T, double>) {
    return number(value).value_or(0);
  } else if constexpr (std::is_same_v<T, Quantity>) {
    return quantity(value).value_or(Quantity());
  } else if constexpr (std::is_same_v<T, WallTime>) {
    return parse_time(value.string()).value_or(WallTime());
  } else if constexpr (std::is_same_v<T, Duration>) {
    return parse_duration(value.string()).value_or(Duration());
  } else if constexpr (std::is_enum_v<T>) {
    return parse_enum<T>(value.string());
  } else {
    return T(value);
  }
}

/// A JSON array whose elements are read as T. Empty for everything else.
template <typename T>
class List {
 public:
  /// Reads the elements in their order, once.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = T;

    Iterator(Value array, std::size_t at) : array_(array), at_(at) {}
    T operator*() const { return read<T>(array_.at(at_)); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(array_, at_++); }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    Value array_;
    std::size_t at_;
  };

  explicit List(Value raw) : raw_(raw) {}

  explicit operator bool() const { return static_cast<bool>(raw_); }
  [[nodiscard]] std::size_t size() const { return raw_.kind() == Kind::kArray ? raw_.count() : 0; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// Reads as absent beyond the end.
  [[nodiscard]] T operator[](std::size_t index) const { return read<T>(raw_.at(index)); }
  [[nodiscard]] Iterator begin() const { return Iterator(raw_, 0); }
  [[nodiscard]] Iterator end() const { return Iterator(raw_, size()); }
  [[nodiscard]] Value raw() const { return raw_; }

  /// The first element for which `matches` is true.
  template <typename Predicate>
  [[nodiscard]] std::optional<T> find(const Predicate& matches) const {
    for (const T each : *this) {
      if (matches(each)) return each;
    }
    return std::nullopt;
  }

 private:
  Value raw_;
};

/// A JSON object with keys that are data and values that are read as T.
template <typename T>
class Map {
 public:
  explicit Map(Value raw) : raw_(raw) {}

  explicit operator bool() const { return static_cast<bool>(raw_); }
  [[nodiscard]] std::size_t size() const { return raw_.kind() == Kind::kObject ? raw_.count() : 0; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::optional<T> find(std::string_view key) const {
    const Value value = raw_[key];
    return value ? std::optional<T>(read<T>(value)) : std::nullopt;
  }
  /// Calls `visit(key, value)` for each member in document order.
  template <typename Visit>
  void each(const Visit& visit) const {
    for (const Member& member : raw_.members()) visit(member.key, read<T>(member.value));
  }
  /// For selectors, and to splice it into another object.
  [[nodiscard]] Value raw() const { return raw_; }

 private:
  Value raw_;
};

}  // namespace davit::typed
