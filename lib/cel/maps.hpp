/// Lists and maps that an evaluation builds, and the keys of maps.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/cel/value.hpp"

namespace davit::cel {

/// A text that two keys share if and only if they are equal; nothing for values that cannot be
/// keys. Numbers are keys by their value: 1, 1u and 1.0 are one.
[[nodiscard]] std::optional<std::string> key_text(const Value& key);

/// A list that grows while its builder is its only owner.
class BuiltList : public ListValue {
 public:
  [[nodiscard]] std::size_t size() const override { return elements_.size(); }
  [[nodiscard]] Value at(std::size_t index) const override { return elements_[index]; }
  void push_back(Value element) { elements_.push_back(std::move(element)); }

 private:
  std::vector<Value> elements_;
};

/// A map or an object that grows while its builder is its only owner.
class BuiltMap : public MapValue {
 public:
  /// `type`: of an object; "" for a map.
  explicit BuiltMap(std::string type = "") : type_(std::move(type)) {}

  [[nodiscard]] std::size_t size() const override { return entries_.size(); }
  [[nodiscard]] std::optional<Value> find(const Value& key) const override;
  [[nodiscard]] Value key_at(std::size_t index) const override { return entries_[index].first; }
  [[nodiscard]] Value value_at(std::size_t index) const override { return entries_[index].second; }
  [[nodiscard]] std::string_view type_name() const override { return type_; }
  /// Null, or why the entry cannot be added.
  [[nodiscard]] Value insert(Value key, Value value);
  /// The same for an entry of a map literal: a later entry replaces one of the same key, and keys
  /// may be of type double, as in cel-go.
  [[nodiscard]] Value set(Value key, Value value);

 private:
  const std::string type_;
  std::vector<std::pair<Value, Value>> entries_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace davit::cel
