#include <davit/base64.hpp>
#include <utility>

#include "lib/cel/moments.hpp"
#include "lib/cel/numbers.hpp"
#include "lib/cel/value.hpp"

namespace davit::cel {
namespace {

constexpr int kDepthMax = 100;  // Objects of the API are not deeper.

class JsonList : public ListValue {
 public:
  explicit JsonList(const Json& json) : items_(json.items()) {}
  [[nodiscard]] std::size_t size() const override { return items_.size(); }
  [[nodiscard]] Value at(std::size_t index) const override { return json_value(items_[index]); }

 private:
  const Json::Items& items_;
};

class JsonMap : public MapValue {
 public:
  explicit JsonMap(const Json& json) : json_(json) {}
  [[nodiscard]] std::size_t size() const override { return json_.size(); }
  [[nodiscard]] std::optional<Value> find(const Value& key) const override {
    if (key.kind() != ValueKind::kString) return no_such_overload();
    const Json* member = json_.find(key.text());
    return member == nullptr ? std::nullopt : std::optional(json_value(*member));
  }
  [[nodiscard]] Value key_at(std::size_t index) const override {
    return borrowed_text(json_.members()[index].key);
  }
  [[nodiscard]] Value value_at(std::size_t index) const override {
    return json_value(json_.members()[index].value);
  }

 private:
  const Json& json_;
};

Status cannot_convert(const Value& value) {
  return {Code::kInvalid, "type conversion error from '" + type_name(value) + "' to JSON"};
}

Result<Json> json_of(const Value& value, int left);

Result<Json> list_json(const ListValue& list, int left) {
  Json out = Json::array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    Result<Json> item = json_of(list.at(i), left);
    if (!item) return item;
    out.push_back(std::move(*item));
  }
  return out;
}

Result<Json> map_json(const MapValue& map, int left) {
  Json out = Json::object();
  for (std::size_t i = 0; i < map.size(); ++i) {
    const Value key = map.key_at(i);
    if (key.kind() != ValueKind::kString) return cannot_convert(key);
    Value member = map.value_at(i);
    const auto* optional = member.get<Optional>();
    if (optional != nullptr && !optional->value) continue;
    Result<Json> json = json_of(member, left);
    if (!json) return json;
    out.set(key.text(), std::move(*json));
  }
  return out;
}

Result<Json> json_of(const Value& value, int left) {
  if (left == 0) return Status(Code::kInvalid, "values nest too deeply");
  switch (value.kind()) {
    case ValueKind::kNull:
      return Json();
    case ValueKind::kBool:
      return Json(value.is_true());
    case ValueKind::kInt:
    case ValueKind::kUint:
      return Json::number(plain_text(value));
    case ValueKind::kDouble: {
      std::string text = plain_text(value);
      if (text.ends_with('f') || text == "NaN") return cannot_convert(value);
      return Json::number(text);
    }
    case ValueKind::kString:
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
      return Json(plain_text(value));
    case ValueKind::kBytes:
      return Json(encode_base64(*value.get<Bytes>()->bytes));
    case ValueKind::kList:
      return list_json(**value.get<ListRef>(), left - 1);
    case ValueKind::kMap:
      return map_json(**value.get<MapRef>(), left - 1);
    case ValueKind::kOptional: {
      const Optional& optional = *value.get<Optional>();
      return optional.value ? json_of(*optional.value, left - 1) : Result<Json>(Json());
    }
    case ValueKind::kError:
      return Status(Code::kInvalid, std::string(value.error()));
    default:
      break;
  }
  const auto* opaque = value.get<OpaqueRef>();
  const std::optional<std::string> text = opaque == nullptr ? std::nullopt : (*opaque)->to_text();
  if (!text) return cannot_convert(value);
  return Json(*text);
}

}  // namespace

Value json_value(const Json& json) {
  switch (json.kind()) {
    case Json::Kind::kNull:
      return {};
    case Json::Kind::kBoolean:
      return json.boolean();
    case Json::Kind::kNumber:
      return json_number(json.text());
    case Json::Kind::kString:
      return borrowed_text(json.text());
    case Json::Kind::kArray:
      return ListRef(std::make_shared<const JsonList>(json));
    case Json::Kind::kObject:
      return MapRef(std::make_shared<const JsonMap>(json));
  }
  return {};
}

Result<Json> to_json(const Value& value) { return json_of(value, kDepthMax); }

}  // namespace davit::cel
