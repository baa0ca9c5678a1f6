#include "lib/cel/mutations.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "lib/cel/maps.hpp"
#include "lib/kube/patch/patch.hpp"

namespace davit::cel {
namespace {

constexpr int kDepthMax = 100;                  // That of objects of the API: json_values.cpp.
constexpr std::size_t kOperationsMax = 10'000;  // That of the server for patches: json_patch.cpp.
constexpr std::size_t kNodeBytes = 48;          // About what a value takes, beside its text.
constexpr int kMismatchesMax = 10;              // Further ones do not help.

/// The Go type of a value, as messages name it.
std::string_view go_type(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull:
      return "structpb.NullValue";
    case ValueKind::kBool:
      return "bool";
    case ValueKind::kInt:
      return "int64";
    case ValueKind::kUint:
      return "uint64";
    case ValueKind::kDouble:
      return "float64";
    case ValueKind::kBytes:
      return "[]uint8";
    case ValueKind::kTimestamp:
      return "time.Time";
    case ValueKind::kDuration:
      return "time.Duration";
    case ValueKind::kList:
      return "[]ref.Val";
    case ValueKind::kMap:
      return "map[ref.Val]ref.Val";
    default:
      break;
  }
  return "interface {}";
}

/// Walks over a result: finds objects whose types are not those of their places, and its size.
class Walk {
 public:
  /// False: the value is too large.
  bool visit(const Value& value, const std::string& place, int left) {
    if (!charge(text_bytes(value))) return false;
    if (left == 0) return true;  // to_json() refuses it.
    if (const auto* optional = value.get<Optional>()) {
      return optional->value == nullptr || visit(*optional->value, place, left - 1);
    }
    if (const auto* list = value.get<ListRef>()) {
      for (std::size_t i = 0; i < (*list)->size(); ++i) {
        if (!visit((*list)->at(i), place, left - 1)) return false;
      }
    }
    const auto* map = value.get<MapRef>();
    if (map == nullptr) return true;
    const std::string_view type = (*map)->type_name();
    const bool named = !type.empty() && type != kJsonPatchType;
    if (named && type != place) mismatch(type, place);
    for (std::size_t i = 0; i < (*map)->size(); ++i) {
      const std::string_view key = (*map)->key_at(i).text();
      bytes_ += key.size();
      const std::string below = named ? place + '.' + std::string(key) : place;
      if (!visit((*map)->value_at(i), below, left - 1)) return false;
    }
    return true;
  }

  /// Counts a value with a text of this size. False: the result is too large.
  [[nodiscard]] bool charge(std::size_t text) {
    bytes_ += kNodeBytes + text;
    return bytes_ <= kMutationBytesMax;
  }

  [[nodiscard]] const std::string& mismatches() const { return mismatches_; }

 private:
  static std::size_t text_bytes(const Value& value) {
    if (const auto* bytes = value.get<Bytes>()) return bytes->bytes->size();
    if (const auto* opaque = value.get<OpaqueRef>())
      return (*opaque)->to_text().value_or("").size();
    return value.text().size();
  }

  void mismatch(std::string_view type, const std::string& place) {
    if (++mismatch_count_ > kMismatchesMax) return;
    if (!mismatches_.empty()) mismatches_ += '\n';
    mismatches_ += "unexpected type name \"" + std::string(type) + "\", expected \"" + place +
                   "\", which matches field name path from root Object type";
  }

  std::size_t bytes_ = 0;
  int mismatch_count_ = 0;
  std::string mismatches_;
};

/// Makes the JSON of an `Object` as far as upstream does: it looks one level into lists and maps.
class Native {
 public:
  enum class Inside : bool { kNo, kYes };

  Result<Json> convert(const Value& value, Inside inside, int left) {
    if (left == 0) return Status(Code::kInvalid, "values nest too deeply");
    switch (value.kind()) {
      case ValueKind::kList:
        return list(**value.get<ListRef>(), left - 1);
      case ValueKind::kMap:
        return map(value, inside, left - 1);
      case ValueKind::kTimestamp:
      case ValueKind::kDuration:
      case ValueKind::kBytes:
        return foreign(value);
      default:
        return to_json(value);
    }
  }
  [[nodiscard]] bool has_foreign() const { return has_foreign_; }

 private:
  Result<Json> list(const ListValue& values, int left) {
    Json out = Json::array();
    for (std::size_t i = 0; i < values.size(); ++i) {
      Result<Json> item = convert(values.at(i), Inside::kYes, left);
      if (!item) return item;
      out.push_back(std::move(*item));
    }
    return out;
  }

  Result<Json> map(const Value& value, Inside inside, int left) {
    const MapValue& values = **value.get<MapRef>();
    const bool plain = values.type_name().empty() && dynamic_cast<const BuiltMap*>(&values);
    if (plain && inside == Inside::kYes) return foreign(value);
    Json out = Json::object();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Value key = values.key_at(i);
      if (key.kind() != ValueKind::kString) return to_json(value);  // Its error.
      Result<Json> member = convert(values.value_at(i), plain ? Inside::kYes : Inside::kNo, left);
      if (!member) return member;
      out.set(key.text(), std::move(*member));
    }
    return out;
  }

  Result<Json> foreign(const Value& value) {
    has_foreign_ = true;
    const Result<Json> shown = to_json(value);
    if (!shown) return shown;
    return Json::number(go_text(*shown));
  }

  bool has_foreign_ = false;
};

constexpr std::string_view kTooLarge = "the result is too large";

/// A large integer is text, as in upstream's way to JSON.
void make_safe(Json& json) {
  constexpr std::int64_t kSafeMax = (std::int64_t{1} << std::numeric_limits<double>::digits) - 1;
  if (json.is_number()) {
    const bool is_integer = json.text().find_first_of(".eE") == std::string::npos;
    const std::int64_t number = json.integer_or(kSafeMax + 1);
    if (is_integer && (number > kSafeMax || number < -kSafeMax)) json = Json(json.text());
  } else if (json.is_array()) {
    for (Json& each : json.make_array()) make_safe(each);
  } else if (json.is_object()) {
    for (Json::Member& each : json.make_object()) make_safe(each.value);
  }
}

/// Adds an operation to `out`, or returns why it has none.
std::string add_operation(const MapValue& operation, Walk& walk, Json& out) {
  Json made = Json::object();
  for (const std::string_view field : {"op", "path", "from"}) {
    const std::optional<Value> text = operation.find(borrowed_text(field));
    const std::string shown(text ? text->text() : "");
    if (!walk.charge(shown.size())) return std::string(kTooLarge);
    if (field != "from" || !shown.empty()) made.set(field, shown);
  }
  if (const std::optional<Value> value = operation.find(borrowed_text("value"))) {
    const auto* map = value->get<MapRef>();
    const std::string root(map == nullptr ? "" : (*map)->type_name());
    if (!walk.visit(*value, root, kDepthMax)) return std::string(kTooLarge);
    // Objects are looked at only if the value is one.
    if (!root.empty() && !walk.mismatches().empty()) return "type mismatch: " + walk.mismatches();
    Result<Json> json = to_json(*value);
    if (!json) {
      return "JSONPath valueExpression evaluated to a type that could not marshal to JSON: " +
             (value->kind() == ValueKind::kType ? "type conversion not supported for 'type'"
                                                : json.error().message());
    }
    make_safe(*json);
    made.set("value", std::move(*json));
  }
  out.push_back(std::move(made));
  return "";
}

}  // namespace

bool is_mutation_type(std::string_view name) {
  if (name == kJsonPatchType || name == kObjectType) return true;
  return name.starts_with(kObjectType) && name.substr(kObjectType.size()).starts_with('.');
}

Value checked_mutation(std::string_view type, Value made) {
  const auto* map = made.get<MapRef>();
  if (type != kJsonPatchType || map == nullptr) return made;
  for (const std::string_view field : {"op", "path", "from"}) {
    const std::optional<Value> value = (*map)->find(borrowed_text(field));
    if (!value || value->kind() == ValueKind::kString) continue;
    return error_value("unexpected type " + std::string(go_type(*value)) + " for JSONPatchType '" +
                       std::string(field) + "' field");
  }
  return made;
}

Mutation applied_object(const Value& value) {
  const auto* map = value.get<MapRef>();
  if (map == nullptr || (*map)->type_name() != kObjectType) {
    return {{}, "unsupported return type from ApplyConfiguration expression"};
  }
  Walk walk;
  if (!walk.visit(value, std::string(kObjectType), kDepthMax)) return {{}, std::string(kTooLarge)};
  if (!walk.mismatches().empty()) return {{}, "type mismatch: " + walk.mismatches()};
  Native native;
  Result<Json> json = native.convert(value, Native::Inside::kNo, kDepthMax);
  if (!json) return {{}, "invalid return type: *dynamic.ObjectVal"};
  return {std::move(*json), "", native.has_foreign()};
}

Mutation json_patch(const Value& value) {
  const auto* list = value.get<ListRef>();
  if (list == nullptr) {
    return {{}, "type mismatch: JSONPatchType.expression should evaluate to array"};
  }
  if ((*list)->size() > kOperationsMax) return {{}, std::string(kTooLarge)};
  Json out = Json::array();
  Walk walk;
  for (std::size_t i = 0; i < (*list)->size(); ++i) {
    const Value each = (*list)->at(i);
    const auto* operation = each.get<MapRef>();
    if (operation == nullptr || (*operation)->type_name() != kJsonPatchType) {
      return {{}, "type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch"};
    }
    std::string error = add_operation(**operation, walk, out);
    if (!error.empty()) return {{}, std::move(error)};
  }
  return {std::move(out), ""};
}

}  // namespace davit::cel
