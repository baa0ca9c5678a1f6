#include "lib/cel/maps.hpp"

#include <cmath>

#include "lib/cel/numbers.hpp"

namespace davit::cel {

std::optional<std::string> key_text(const Value& key) {
  switch (key.kind()) {
    case ValueKind::kNull:
      return "null";
    case ValueKind::kBool:
      return key.is_true() ? "true" : "false";
    case ValueKind::kInt:
      return "n" + std::to_string(*key.get<std::int64_t>());
    case ValueKind::kUint:
      return "n" + std::to_string(*key.get<std::uint64_t>());
    case ValueKind::kString:
      return std::string("s").append(key.text());
    case ValueKind::kDouble:
      break;
    default:
      return std::nullopt;
  }
  const double number = *key.get<double>();
  if (std::isnan(number)) return std::nullopt;
  return "n" + (number == 0 ? "0" : decimal_text(number));
}

std::optional<Value> BuiltMap::find(const Value& key) const {
  const std::optional<std::string> text = key_text(key);
  if (!text) return std::nullopt;
  const auto place = places_.find(*text);
  if (place == places_.end()) return std::nullopt;
  return entries_[place->second].second;
}

Value BuiltMap::insert(Value key, Value value) {
  std::optional<std::string> text = key_text(key);
  if (!text || key.kind() == ValueKind::kDouble)
    return error_value("unsupported key type: " + cel::type_name(key));
  if (!places_.emplace(std::move(*text), entries_.size()).second)
    return error_value("insert failed: key " + plain_text(key) + " already exists");
  entries_.emplace_back(std::move(key), std::move(value));
  return {};
}

Value BuiltMap::set(Value key, Value value) {
  std::optional<std::string> text = key_text(key);
  if (!text) return error_value("unsupported key type: " + cel::type_name(key));
  const auto [place, is_new] = places_.emplace(std::move(*text), entries_.size());
  if (is_new) {
    entries_.emplace_back(std::move(key), std::move(value));
  } else {
    entries_[place->second].second = std::move(value);
  }
  return {};
}

}  // namespace davit::cel
