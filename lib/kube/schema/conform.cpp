#include <algorithm>
#include <bit>
#include <davit/base64.hpp>
#include <davit/kube/time.hpp>
#include <utility>

#include "lib/kube/schema/canonical_quantity.hpp"
#include "lib/kube/schema/go_words.hpp"
#include "lib/kube/schema/schema.hpp"

namespace davit {

namespace {

/// The treatment of a member after its value was checked.
enum class Verdict : std::uint8_t {
  kKeep,
  kDrop,   ///< Treats it as absent.
  kWrong,  ///< The walk ends; Conformer::error() says why.
};

constexpr Verdict keep_if(bool conforms) { return conforms ? Verdict::kKeep : Verdict::kWrong; }

/// The JSON that Go writes for a field that was never set.
Json zero_of(const Field& field) {
  if (field.pointer || field.shape != FieldShape::kOne) return Json();
  switch (field.type) {
    case FieldType::kString:
    case FieldType::kBytes:
      return Json("");
    case FieldType::kInt32:
    case FieldType::kInt64:
    case FieldType::kIntOrString:
    case FieldType::kDouble:
      return Json(0);
    case FieldType::kBoolean:
      return Json(false);
    case FieldType::kQuantity:
      return Json("0");
    case FieldType::kMessage:
      return Json(Json::Members());
    case FieldType::kTime:
    case FieldType::kMicroTime:
    case FieldType::kRaw:
    case FieldType::kStrings:
    case FieldType::kSchemaOrArray:
    case FieldType::kSchemaOrBool:
    case FieldType::kSchemaOrStrings:
      break;
  }
  return Json();
}

bool is_struct(const Field& field) { return field.type == FieldType::kMessage; }

bool is_schema_or(const Field& field) { return !is_struct(field) && field.message != nullptr; }

/// An empty list and an absent one differ in Go until they are stored. Upstream's defaults and
/// checks run before, and look for nil, rather than for no elements, in these lists.
bool counts_when_empty(const Message& message, const Field& field) {
  return message.name == "autoscaling.v2.HPAScalingRules" && field.name == "policies";
}

/// The walk. `message` is always the one that declares the field at hand.
class Conformer {
 public:
  explicit Conformer(FieldFindings& findings) : findings_(findings) {}

  /// False: something in the object has the wrong type, and error() says what.
  bool object(const Message& message, Json& json, const Location* location);
  [[nodiscard]] Status error() const { return error_; }

 private:
  Verdict member(const Message& message, const Field& field, Json& json, const Location& location);
  Verdict list(const Message& message, const Field& field, Json& json, const Location& location);
  Verdict map(const Message& message, const Field& field, Json& json, const Location& location);
  bool element(const Message& message, const Field& field, Json& json, const Location& location);
  bool value(const Message& message, const Field& field, Json& json, const Location& location);
  bool schema_or(const Message& message, const Field& field, Json& json, const Location& location);
  bool integer(const Message& message, const Field& field, Json& json, const Location& location);
  bool int_or_string(Json& json);
  bool time(const Field& field, Json& json);
  bool quantity(const Field& field, Json& json);
  bool bytes(const Message& message, const Field& field, Json& json, const Location& location);
  bool strings(const Message& message, const Field& field, Json& json, const Location& location);

  using Places = std::int8_t[64];  // For each field the index of its member.
  void complete(const Message& message, Json::Members& members, const Places& places,
                std::uint64_t present);

  bool wrong(std::string text) {
    error_ = Status(Code::kInvalid, std::move(text));
    return false;
  }

  FieldFindings& findings_;
  Status error_;
};

bool Conformer::object(const Message& message, Json& json, const Location* location) {
  Json::Members& members = json.make_object();
  Places places;
  std::uint64_t present = 0;
  bool in_order = true;
  std::size_t kept = 0;
  for (Json::Member& each : members) {
    const Location here{location, each.key, 0};
    const Field* field = message.find(each.key);
    if (field == nullptr) {
      findings_.unknown.push_back(path_of(&here));
      continue;
    }
    const Verdict verdict = member(message, *field, each.value, here);
    if (verdict == Verdict::kWrong) return false;
    const auto index = static_cast<std::size_t>(field - message.fields.data());
    const std::uint64_t bit = std::uint64_t{1} << index;
    if (verdict == Verdict::kDrop || (present & bit) != 0) continue;
    in_order = in_order && present < bit;
    present |= bit;
    places[index] = static_cast<std::int8_t>(kept);
    if (Json::Member& room = members[kept++]; &room != &each) room = std::move(each);
  }
  members.resize(kept);
  if (!in_order || (message.always & ~present) != 0) complete(message, members, places, present);
  return true;
}

/// Puts the members into the table's order and adds those that are always written.
void Conformer::complete(const Message& message, Json::Members& members, const Places& places,
                         std::uint64_t present) {
  Json::Members out;
  out.reserve(static_cast<std::size_t>(std::popcount(present | message.always)));
  for (std::uint64_t rest = present | message.always; rest != 0; rest &= rest - 1) {
    const auto index = static_cast<std::size_t>(std::countr_zero(rest));
    if ((present >> index & 1) != 0) {
      out.push_back(std::move(members[static_cast<std::size_t>(places[index])]));
      continue;
    }
    const Field& field = message.fields[index];
    Json zero = zero_of(field);
    // An empty struct has members that are always written, but nothing that could be wrong.
    if (zero.is_object()) (void)object(*field.message, zero, nullptr);
    out.push_back({field.name, std::move(zero)});
  }
  members = std::move(out);
}

Verdict Conformer::member(const Message& message, const Field& field, Json& json,
                          const Location& location) {
  if (json.is_null()) return Verdict::kDrop;
  if (field.shape == FieldShape::kList) return list(message, field, json, location);
  if (field.shape == FieldShape::kMap) return map(message, field, json, location);
  if (!value(message, field, json, location)) return Verdict::kWrong;
  if (json.is_null()) return Verdict::kDrop;  // The zero time.
  if (field.pointer || field.always || is_struct(field) || is_schema_or(field) ||
      field.type == FieldType::kRaw || field.type == FieldType::kQuantity ||
      field.type == FieldType::kIntOrString) {
    return Verdict::kKeep;
  }
  return json.empty() ? Verdict::kDrop : Verdict::kKeep;
}

Verdict Conformer::list(const Message& message, const Field& field, Json& json,
                        const Location& location) {
  if (!json.is_array()) {
    return keep_if(
        wrong(cannot_unmarshal(go_kind(json), go_shaped_type(field), message, location)));
  }
  if (json.size() == 0) {
    return counts_when_empty(message, field) ? Verdict::kKeep : Verdict::kDrop;
  }
  std::size_t index = 0;
  for (Json& each : json.make_array()) {
    if (!element(message, field, each, {&location, "", index++})) return Verdict::kWrong;
  }
  return Verdict::kKeep;
}

Verdict Conformer::map(const Message& message, const Field& field, Json& json,
                       const Location& location) {
  if (!json.is_object()) {
    return keep_if(
        wrong(cannot_unmarshal(go_kind(json), go_shaped_type(field), message, location)));
  }
  if (json.size() == 0) return Verdict::kDrop;
  Json::Members& members = json.make_object();
  for (Json::Member& each : members) {
    // Go names the field, not the key.
    if (!element(message, field, each.value, location)) return Verdict::kWrong;
  }
  const auto by_key = [](const Json::Member& a, const Json::Member& b) { return a.key < b.key; };
  if (!std::is_sorted(members.begin(), members.end(), by_key)) {
    std::sort(members.begin(), members.end(), by_key);
  }
  return Verdict::kKeep;
}

/// Handles an element of a list or a map: there null is the zero value, and zero values stay.
bool Conformer::element(const Message& message, const Field& field, Json& json,
                        const Location& location) {
  if (json.is_null()) {
    Field one = field;
    one.shape = FieldShape::kOne;
    one.pointer = false;
    json = zero_of(one);
    return json.is_null() || !is_struct(field) || object(*field.message, json, &location);
  }
  return value(message, field, json, location);
}

bool Conformer::value(const Message& message, const Field& field, Json& json,
                      const Location& location) {
  switch (field.type) {
    case FieldType::kString:
      if (json.is_string()) return true;
      break;
    case FieldType::kBoolean:
      if (json.is_boolean()) return true;
      break;
    case FieldType::kInt32:
    case FieldType::kInt64:
      return integer(message, field, json, location);
    case FieldType::kBytes:
      return bytes(message, field, json, location);
    case FieldType::kMessage:
      if (json.is_object()) return object(*field.message, json, &location);
      break;
    case FieldType::kTime:
    case FieldType::kMicroTime:
      return time(field, json);
    case FieldType::kQuantity:
      return quantity(field, json);
    case FieldType::kIntOrString:
      return int_or_string(json);
    case FieldType::kRaw:
      return true;
    case FieldType::kStrings:
      return strings(message, field, json, location);
    case FieldType::kDouble:
      if (json.is_number()) return true;
      break;
    case FieldType::kSchemaOrArray:
    case FieldType::kSchemaOrBool:
    case FieldType::kSchemaOrStrings:
      return schema_or(message, field, json, location);
  }
  return wrong(cannot_unmarshal(go_kind(json), go_type(field), message, location));
}

bool Conformer::schema_or(const Message& message, const Field& field, Json& json,
                          const Location& location) {
  if (json.is_object()) return object(*field.message, json, &location);
  if (field.type == FieldType::kSchemaOrBool && json.is_boolean()) return true;
  if (field.type == FieldType::kSchemaOrStrings) return strings(message, field, json, location);
  if (field.type != FieldType::kSchemaOrArray || !json.is_array()) {
    return wrong(cannot_unmarshal(go_kind(json), go_type(field), message, location));
  }
  std::size_t index = 0;
  for (Json& each : json.make_array()) {
    const Location inner{&location, "", index++};
    if (!each.is_object()) {
      return wrong(cannot_unmarshal(go_kind(each), field.message->go_name, message, location));
    }
    if (!object(*field.message, each, &inner)) return false;
  }
  return true;
}

bool Conformer::integer(const Message& message, const Field& field, Json& json,
                        const Location& location) {
  if (!json.is_number()) {
    return wrong(cannot_unmarshal(go_kind(json), go_type(field), message, location));
  }
  const std::optional<std::int64_t> number = json.integer();
  const bool fits =
      number && (field.type == FieldType::kInt64 || (*number >= INT32_MIN && *number <= INT32_MAX));
  if (!fits) {
    return wrong(cannot_unmarshal("number " + json.text(), go_type(field), message, location));
  }
  if (json.text() == "-0") json = Json(0);
  return true;
}

bool Conformer::int_or_string(Json& json) {
  if (json.is_string()) return true;
  const std::optional<std::int64_t> number = json.integer();
  if (number && *number >= INT32_MIN && *number <= INT32_MAX) return true;
  const std::string what = json.is_number() ? "number " + json.text() : std::string(go_kind(json));
  return wrong("json: cannot unmarshal " + what + " into Go value of type int32");
}

bool Conformer::time(const Field& field, Json& json) {
  if (!json.is_string()) {
    return wrong("json: cannot unmarshal " + std::string(go_kind(json)) +
                 " into Go value of type string");
  }
  const bool micro = field.type == FieldType::kMicroTime;
  const Result<WireTime> time =
      micro ? parse_wire_micro_time(json.text()) : parse_wire_time(json.text());
  if (!time) return wrong(time.error().message());
  if (time->is_zero()) {
    json = Json();
    return true;
  }
  std::string text = micro ? micro_time_text(*time) : time_text(*time);
  if (text != json.text()) json = Json(std::move(text));
  return true;
}

bool Conformer::quantity(const Field& field, Json& json) {
  // Upstream rounds resource lists when it fills in defaults; single quantities keep nanos.
  const Precision precision =
      field.shape == FieldShape::kMap ? Precision::kMilli : Precision::kNano;
  // A value that is neither a string nor a number is not a quantity; the parser says the same about
  // "".
  Result<std::string> text = canonical_quantity(json.text(), precision);
  if (!text) return wrong(text.error().message());
  if (json.is_number() || *text != json.text()) json = Json(*std::move(text));
  return true;
}

bool Conformer::bytes(const Message& message, const Field& field, Json& json,
                      const Location& location) {
  if (!json.is_string()) {
    return wrong(cannot_unmarshal(go_kind(json), go_type(field), message, location));
  }
  const std::optional<std::string> decoded = decode_base64(json.text());
  if (!decoded) {
    const std::size_t good = json.text().find_first_not_of(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    const std::size_t at = good == std::string::npos ? json.text().size() / 4 * 4 : good;
    return wrong("illegal base64 data at input byte " + std::to_string(at));
  }
  std::string text = encode_base64(*decoded);
  if (text != json.text()) json = Json(std::move(text));
  return true;
}

bool Conformer::strings(const Message& message, const Field& field, Json& json,
                        const Location& location) {
  if (!json.is_array()) {
    return wrong(cannot_unmarshal(go_kind(json), go_type(field), message, location));
  }
  for (Json& each : json.make_array()) {
    if (each.is_null()) each = Json("");
    if (!each.is_string()) {
      return wrong(cannot_unmarshal(go_kind(each), "string", message, location));
    }
  }
  return true;
}

}  // namespace

Status conform(const Message& message, Json& object, FieldFindings& findings) {
  if (!object.is_object()) {
    return Status(Code::kInvalid, "json: cannot unmarshal " + std::string(go_kind(object)) +
                                      " into Go value of type " + message.go_name);
  }
  Conformer conformer(findings);
  return conformer.object(message, object, nullptr) ? Status() : conformer.error();
}

}  // namespace davit
