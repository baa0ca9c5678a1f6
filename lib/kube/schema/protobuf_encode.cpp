// Responds in protobuf: the tables say what each member is on the wire. A member that JSON leaves
// out is left out here, too: Go reads both as its zero.
#include <algorithm>
#include <charconv>
#include <davit/base64.hpp>
#include <davit/kube/time.hpp>
#include <protozero/pbf_writer.hpp>

#include "lib/kube/schema/build.hpp"
#include "lib/kube/schema/schema.hpp"
#include "lib/kube/schema/wire.hpp"

namespace davit {

namespace {

using protozero::pbf_writer;

constexpr std::string_view kListSuffix = "List";

void write_message(const Message& type, const Json& object, pbf_writer& out);

/// protozero's own nesting drops what stays empty; here an empty message is not an absent one.
template <typename Fill>
void add_nested(pbf_writer& out, std::uint32_t number, Fill fill) {
  std::string bytes;
  pbf_writer nested(bytes);
  fill(nested);
  out.add_message(number, bytes);
}

void add_message(const Message& type, std::uint32_t number, const Json& object, pbf_writer& out) {
  add_nested(out, number, [&](pbf_writer& nested) { write_message(type, object, nested); });
}

void write_time(const FieldType type, const Json& json, pbf_writer& out) {
  const Result<WireTime> time = type == FieldType::kMicroTime ? parse_wire_micro_time(json.text())
                                                              : parse_wire_time(json.text());
  if (!time) return;  // An empty message would not be a time.
  out.add_int64(wire::kTimeSeconds, time->seconds);
  out.add_int32(wire::kTimeNanos, time->nanos);
}

void write_int_or_string(const Json& json, pbf_writer& out) {
  const bool is_text = json.is_string();
  out.add_int64(wire::kIntOrStringType, is_text ? 1 : 0);
  out.add_int32(wire::kIntOrStringInteger,
                is_text ? 0 : static_cast<std::int32_t>(json.integer_or(0)));
  out.add_string(wire::kIntOrStringText, is_text ? json.text() : std::string());
}

/// JSONSchemaPropsOrArray, …OrBool or …OrStringArray: the schema is member 1, in …OrBool 2.
void write_schema_or(const Field& type, const Json& json, pbf_writer& out) {
  if (type.type == FieldType::kSchemaOrBool) {
    out.add_bool(1, json.is_object() || json.boolean());
    if (!json.is_object()) return;
    return add_message(*type.message, 2, json, out);
  }
  if (json.is_object()) return add_message(*type.message, 1, json, out);
  for (const Json& each : json.items()) {
    if (type.type == FieldType::kSchemaOrStrings) {
      out.add_string(2, each.text());
      continue;
    }
    add_message(*type.message, 2, each, out);
  }
}

double double_of(const Json& json) {
  const std::string text = to_text(json);
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

/// The values that are messages on the wire.
void write_value_message(const Field& type, const Json& json, pbf_writer& out) {
  switch (type.type) {
    case FieldType::kMessage:
      return write_message(*type.message, json, out);
    case FieldType::kTime:
    case FieldType::kMicroTime:
      return write_time(type.type, json, out);
    case FieldType::kQuantity:
      return out.add_string(wire::kOnlyMember, json.is_string() ? json.text() : to_text(json));
    case FieldType::kIntOrString:
      return write_int_or_string(json, out);
    case FieldType::kRaw:
      return out.add_bytes(wire::kOnlyMember, to_text(json));
    case FieldType::kStrings:
      for (const Json& each : json.items()) out.add_string(wire::kOnlyMember, each.text());
      return;
    default:
      return write_schema_or(type, json, out);
  }
}

void write_value(const Field& type, std::uint32_t number, const Json& json, pbf_writer& out) {
  switch (type.type) {
    case FieldType::kString:
      return out.add_string(number, json.text());
    case FieldType::kInt32:
    case FieldType::kInt64:
      return out.add_int64(number, json.integer_or(0));
    case FieldType::kBoolean:
      return out.add_bool(number, json.boolean());
    case FieldType::kBytes:
      return out.add_bytes(number, decode_base64(json.text()).value_or(""));
    case FieldType::kDouble:
      return out.add_double(number, double_of(json));
    default:
      break;
  }
  add_nested(out, number, [&](pbf_writer& value) { write_value_message(type, json, value); });
}

void write_map(const Field& type, const Json& json, pbf_writer& out) {
  std::vector<const Json::Member*> members;
  for (const Json::Member& each : json.members()) members.push_back(&each);
  std::ranges::sort(members, {}, [](const Json::Member* each) { return each->key; });
  for (const Json::Member* each : members) {
    add_nested(out, type.number, [&](pbf_writer& entry) {
      entry.add_string(wire::kEntryKey, each->key);
      write_value(type, 2, each->value, entry);
    });
  }
}

void write_message(const Message& type, const Json& object, pbf_writer& out) {
  for (const WireField& wire : type.wire) {
    if (wire.inlined != nullptr) {
      add_message(*wire.inlined, wire.number, object, out);
      continue;
    }
    const Field& field = *wire.field;
    const Json& value = object.get(field.name);
    if (value.is_null()) continue;
    if (field.shape == FieldShape::kMap) {
      write_map(field, value, out);
    } else if (field.shape == FieldShape::kList) {
      for (const Json& each : value.items()) write_value(field, field.number, each, out);
    } else {
      write_value(field, field.number, value, out);
    }
  }
}

std::optional<std::string> write_object(const Json& object, std::string_view api_version,
                                        std::string_view kind) {
  std::string out;
  pbf_writer writer(out);
  if (const Message* type = find_wire_schema(api_version, kind)) {
    write_message(*type, object, writer);
    return out;
  }
  if (!kind.ends_with(kListSuffix)) return std::nullopt;
  const Message* item =
      find_wire_schema(api_version, kind.substr(0, kind.size() - kListSuffix.size()));
  if (item == nullptr) return std::nullopt;
  add_message(*schemas().find("meta.v1.ListMeta"), wire::kListMetadata, object.get("metadata"),
              writer);
  for (const Json& each : object.get("items").items()) {
    add_message(*item, wire::kListItems, each, writer);
  }
  return out;
}

}  // namespace

std::optional<std::string> encode_protobuf(const Json& object) {
  const std::string& api_version = object.get("apiVersion").text();
  const std::string& kind = object.get("kind").text();
  const std::optional<std::string> raw = write_object(object, api_version, kind);
  if (!raw) return std::nullopt;
  std::string out(wire::kEnvelopePrefix);
  pbf_writer unknown(out);
  add_nested(unknown, wire::kUnknownTypeMeta, [&](pbf_writer& type) {
    type.add_string(wire::kTypeMetaApiVersion, api_version);
    type.add_string(wire::kTypeMetaKind, kind);
  });
  unknown.add_bytes(wire::kUnknownRaw, *raw);
  unknown.add_string(wire::kUnknownContentEncoding, "");  // As it is.
  unknown.add_string(wire::kUnknownContentType, "");
  return out;
}

std::optional<std::string> encode_protobuf_event(std::string_view type, const Json& object) {
  const std::optional<std::string> inner = encode_protobuf(object);
  if (!inner) return std::nullopt;
  std::string event;
  pbf_writer writer(event);
  writer.add_string(wire::kEventType, type.data(), type.size());
  add_nested(writer, wire::kEventObject,
             [&](pbf_writer& raw) { raw.add_bytes(wire::kOnlyMember, *inner); });
  const auto size = static_cast<std::uint32_t>(event.size());
  std::string out;
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(size >> shift & 0xff);
  return out + event;
}

}  // namespace davit
