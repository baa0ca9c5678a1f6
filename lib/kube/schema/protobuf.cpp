// Bodies in protobuf: protozero reads the wire format, the tables say what it means.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <davit/base64.hpp>
#include <davit/kube/time.hpp>
#include <protozero/pbf_reader.hpp>

#include "lib/kube/schema/schema.hpp"
#include "lib/kube/schema/wire.hpp"

namespace davit {

namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

/// Schemas hold schemas. A level of them is two of JSON, and all that walks JSON is recursive.
constexpr std::size_t kMessageDepthMax = kJsonDepthMax / 2;

std::string_view view_of(protozero::data_view view) { return {view.data(), view.size()}; }

/// Reads messages into objects. Everything throws protozero::exception on malformed bytes;
/// decode_protobuf() catches it. protozero only asserts that a value is read as the wire type it
/// has, so each read checks that first.
class Decoder {
 public:
  /// Empty unless something other than the wire format was wrong.
  [[nodiscard]] const std::string& error() const { return error_; }

  static std::string_view bytes(pbf_reader& reader) {
    need(reader, pbf_wire_type::length_delimited);
    return view_of(reader.get_view());
  }
  static pbf_reader submessage(pbf_reader& reader) {
    need(reader, pbf_wire_type::length_delimited);
    return reader.get_message();
  }
  static std::int64_t integer(pbf_reader& reader) {
    need(reader, pbf_wire_type::varint);
    return reader.get_int64();
  }

  void message(const Message& type, pbf_reader reader, Json& object) {
    object.make_object();
    if (++depth_ > kMessageDepthMax) {
      error_ = "exceeded max depth";
      return;
    }
    members(type, std::move(reader), object);
    --depth_;
  }

 private:
  void members(const Message& type, pbf_reader reader, Json& object) {
    bool has_maps = false;
    while (reader.next()) {
      const WireField* wire = find(type, reader.tag());
      if (wire == nullptr) {
        reader.skip();
      } else if (wire->inlined != nullptr) {
        message(*wire->inlined, submessage(reader), object);
      } else {
        has_maps = has_maps || wire->field->shape == FieldShape::kMap;
        field(*wire->field, reader, object);
      }
    }
    if (has_maps) drop_earlier_entries(type, object);
  }

  static void need(const pbf_reader& reader, pbf_wire_type type) {
    if (!reader.has_wire_type(type)) throw protozero::unknown_pbf_wire_type_exception();
  }

  static const WireField* find(const Message& type, std::uint32_t number) {
    const auto found = std::lower_bound(
        type.wire.begin(), type.wire.end(), number,
        [](const WireField& each, std::uint32_t tag) { return each.number < tag; });
    return found != type.wire.end() && found->number == number ? &*found : nullptr;
  }

  void field(const Field& type, pbf_reader& reader, Json& object) {
    if (type.shape == FieldShape::kMap) return entry(type, submessage(reader), object[type.name]);
    if (type.shape == FieldShape::kList) return elements(type, reader, object[type.name]);
    value(type, reader, object[type.name]);
  }

  void elements(const Field& type, pbf_reader& reader, Json& list) {
    list.make_array();
    const bool packed = is_varint(type) && reader.has_wire_type(pbf_wire_type::length_delimited);
    if (!packed) return value(type, reader, list.push_back(Json()));
    for (const std::int64_t number : reader.get_packed_int64()) {
      list.push_back(varint(type, number));
    }
  }

  void entry(const Field& type, pbf_reader reader, Json& map) {
    Json::Member member;
    while (reader.next()) {
      if (reader.tag() == wire::kEntryKey) {
        member.key = valid_utf8(bytes(reader));
      } else if (reader.tag() == wire::kEntryValue) {
        value(type, reader, member.value);
      } else {
        reader.skip();
      }
    }
    map.make_object().push_back(std::move(member));
  }

  /// The last of several entries with one key counts. Runs once at the end: looking for the key at
  /// each entry would take quadratic time in a large map.
  static void drop_earlier_entries(const Message& type, Json& object) {
    for (const WireField& wire : type.wire) {
      if (wire.field == nullptr || wire.field->shape != FieldShape::kMap) continue;
      Json* map = object.find(wire.field->name);
      if (map == nullptr) continue;
      Json::Members& members = map->make_object();
      std::stable_sort(members.begin(), members.end(),
                       [](const auto& a, const auto& b) { return a.key < b.key; });
      std::size_t kept = 0;
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (i + 1 < members.size() && members[i].key == members[i + 1].key) continue;
        if (kept != i) members[kept] = std::move(members[i]);
        ++kept;
      }
      members.resize(kept);
    }
  }

  static bool is_varint(const Field& type) {
    return type.type == FieldType::kInt32 || type.type == FieldType::kInt64 ||
           type.type == FieldType::kBoolean;
  }

  static Json varint(const Field& type, std::int64_t number) {
    if (type.type == FieldType::kBoolean) return Json(number != 0);
    if (type.type == FieldType::kInt64) return Json(number);
    return Json(static_cast<std::int64_t>(static_cast<std::int32_t>(number)));
  }

  void value(const Field& type, pbf_reader& reader, Json& out) {
    switch (type.type) {
      case FieldType::kString:
        out = Json(valid_utf8(bytes(reader)));
        return;
      case FieldType::kInt32:
      case FieldType::kInt64:
      case FieldType::kBoolean:
        out = varint(type, integer(reader));
        return;
      case FieldType::kBytes:
        out = Json(encode_base64(bytes(reader)));
        return;
      case FieldType::kMessage:
        return message(*type.message, submessage(reader), out);
      case FieldType::kTime:
      case FieldType::kMicroTime:
        out = time(type, submessage(reader));
        return;
      case FieldType::kQuantity:
        out = Json(valid_utf8(only_member(submessage(reader))));
        return;
      case FieldType::kIntOrString:
        out = int_or_string(submessage(reader));
        return;
      case FieldType::kRaw:
        out = raw(only_member(submessage(reader)));
        return;
      case FieldType::kStrings:
        out = strings(submessage(reader));
        return;
      case FieldType::kDouble:
        out = number(reader);
        return;
      case FieldType::kSchemaOrArray:
      case FieldType::kSchemaOrBool:
      case FieldType::kSchemaOrStrings:
        return schema_or(type, submessage(reader), out);
    }
  }

  Json number(pbf_reader& reader) {
    need(reader, pbf_wire_type::fixed64);
    const double value = reader.get_double();
    char text[32];  // The shortest text of a double that reads back has at most 24.
    if (!std::isfinite(value)) {
      error_ = "json: unsupported value";
      return {};
    }
    return Json::number({text, std::to_chars(text, std::end(text), value).ptr});
  }

  /// JSONSchemaPropsOrArray, …OrBool or …OrStringArray: the schema is member 1, in …OrBool 2.
  void schema_or(const Field& type, pbf_reader reader, Json& out) {
    const bool is_bool = type.type == FieldType::kSchemaOrBool;
    if (is_bool) out = Json(false);
    while (reader.next()) {
      const bool first = reader.tag() == 1;
      if (!first && reader.tag() != 2) {
        reader.skip();
      } else if (first != is_bool) {
        message(*type.message, submessage(reader), out);
      } else if (is_bool) {
        const bool allows = integer(reader) != 0;
        if (!out.is_object()) out = Json(allows);
      } else if (out.make_array(); type.type == FieldType::kSchemaOrStrings) {
        out.push_back(Json(valid_utf8(bytes(reader))));
      } else {
        message(*type.message, submessage(reader), out.push_back(Json()));
      }
    }
  }

  static std::string_view only_member(pbf_reader reader) {
    std::string_view out;
    while (reader.next()) {
      if (reader.tag() == wire::kOnlyMember) {
        out = bytes(reader);
      } else {
        reader.skip();
      }
    }
    return out;
  }

  static Json time(const Field& type, pbf_reader reader) {
    if (reader.length() == 0) return Json();
    WireTime out;
    while (reader.next()) {
      if (reader.tag() == wire::kTimeSeconds) {
        out.seconds = integer(reader);
      } else if (reader.tag() == wire::kTimeNanos) {
        constexpr std::int64_t kNanosMax = 999'999'999;
        out.nanos =
            static_cast<std::int32_t>(std::clamp<std::int64_t>(integer(reader), 0, kNanosMax));
      } else {
        reader.skip();
      }
    }
    return Json(type.type == FieldType::kMicroTime ? micro_time_text(out) : time_text(out));
  }

  static Json int_or_string(pbf_reader reader) {
    bool is_text = false;
    std::int64_t number = 0;
    std::string text;
    while (reader.next()) {
      if (reader.tag() == wire::kIntOrStringType) {
        is_text = integer(reader) == 1;
      } else if (reader.tag() == wire::kIntOrStringInteger) {
        number = static_cast<std::int32_t>(integer(reader));
      } else if (reader.tag() == wire::kIntOrStringText) {
        text = valid_utf8(bytes(reader));
      } else {
        reader.skip();
      }
    }
    return is_text ? Json(std::move(text)) : Json(number);
  }

  Json raw(std::string_view text) {
    if (text.empty()) return Json();
    Result<Json> json = parse_json(text);
    if (json) return *std::move(json);
    error_ = json.error().message();
    return Json();
  }

  static Json strings(pbf_reader reader) {
    Json out = Json::array();
    while (reader.next()) {
      if (reader.tag() == wire::kOnlyMember) {
        out.push_back(Json(valid_utf8(bytes(reader))));
      } else {
        reader.skip();
      }
    }
    return out;
  }

  std::string error_;
  std::size_t depth_ = 0;
};

/// The envelope's members.
struct Envelope {
  std::string api_version;
  std::string kind;
  std::string_view raw;
};

Envelope read_envelope(std::string_view bytes) {
  Envelope out;
  pbf_reader unknown(bytes.data(), bytes.size());
  while (unknown.next()) {
    if (unknown.tag() == wire::kUnknownRaw) {
      out.raw = Decoder::bytes(unknown);
    } else if (unknown.tag() == wire::kUnknownTypeMeta) {
      pbf_reader type = Decoder::submessage(unknown);
      while (type.next()) {
        if (type.tag() == wire::kTypeMetaApiVersion) {
          out.api_version = valid_utf8(Decoder::bytes(type));
        } else if (type.tag() == wire::kTypeMetaKind) {
          out.kind = valid_utf8(Decoder::bytes(type));
        } else {
          type.skip();
        }
      }
    } else {
      unknown.skip();
    }
  }
  return out;
}

Result<Json> read_object(std::string_view bytes) {
  const Envelope envelope = read_envelope(bytes);
  const Message* type = find_schema(envelope.api_version, envelope.kind);
  if (type == nullptr) {
    return Status(Code::kUnsupported, "no kind \"" + envelope.kind +
                                          "\" is registered for version \"" + envelope.api_version +
                                          '"');
  }
  Json object = Json::object({{"kind", envelope.kind}, {"apiVersion", envelope.api_version}});
  Decoder decoder;
  decoder.message(*type, pbf_reader(envelope.raw.data(), envelope.raw.size()), object);
  if (!decoder.error().empty()) return Status(Code::kInvalid, decoder.error());
  return object;
}

}  // namespace

std::optional<ProtobufEvent> decode_protobuf_event(std::string_view bytes) {
  constexpr std::size_t kLengthBytes = 4;
  if (bytes.size() < kLengthBytes) return std::nullopt;
  std::size_t length = 0;
  for (const char c : bytes.substr(0, kLengthBytes)) {
    length = length << 8 | static_cast<unsigned char>(c);
  }
  if (bytes.size() - kLengthBytes < length) return std::nullopt;
  ProtobufEvent out;
  out.bytes = kLengthBytes + length;
  try {
    pbf_reader event(bytes.data() + kLengthBytes, length);
    while (event.next()) {
      if (event.tag() == wire::kEventType) {
        out.type = valid_utf8(Decoder::bytes(event));
      } else if (event.tag() == wire::kEventObject) {
        pbf_reader raw = Decoder::submessage(event);
        while (raw.next(wire::kOnlyMember)) {
          Result<Json> object = decode_protobuf(Decoder::bytes(raw), "object");
          if (object) out.object = std::move(*object);
        }
      } else {
        event.skip();
      }
    }
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
  return out;
}

Result<Json> decode_protobuf(std::string_view body, std::string_view kind) {
  const std::string unrecognized =
      "the object provided is unrecognized (must be of type " + std::string(kind) + ")";
  if (!body.starts_with(wire::kEnvelopePrefix)) {
    return Status(Code::kInvalid, unrecognized +
                                      ": provided data does not appear to be a protobuf message, "
                                      "expected prefix [107 56 115 0]");
  }
  try {
    Result<Json> object = read_object(body.substr(wire::kEnvelopePrefix.size()));
    if (!object) return object.error().with_context(unrecognized);
    return object;
  } catch (const protozero::exception& error) {
    return Status(Code::kInvalid, unrecognized + ": " + error.what());
  }
}

}  // namespace davit
