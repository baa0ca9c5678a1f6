/// Facts about every field of the built-in kinds: name, type, protobuf number, whether it is
/// written when empty, and how patches merge it. One table serves decoding, pruning, strict
/// validation, protobuf bodies, both kinds of merging, and OpenAPI.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit {

class Descriptions;
struct Message;

enum class FieldType : std::uint8_t {
  kString,
  kInt32,
  kInt64,
  kBoolean,
  kBytes,      ///< base64 in JSON
  kMessage,    ///< Field::message
  kTime,       ///< RFC 3339, seconds
  kMicroTime,  ///< RFC 3339, exactly six fraction digits
  kQuantity,
  kIntOrString,
  kRaw,      ///< any JSON: RawExtension, FieldsV1, JSON
  kStrings,  ///< a list of strings as a map's value: ExtraValue
  kDouble,
  // JSONSchemaProps (Field::message) or another type, depending on the type of the JSON value.
  kSchemaOrArray,    ///< or a list of them
  kSchemaOrBool,     ///< or a boolean
  kSchemaOrStrings,  ///< or a list of strings
};
enum class FieldShape : std::uint8_t { kOne, kList, kMap };  ///< kMap: from string to the type.

/// The type of a list or a map in server-side apply (k8s: listType, mapType).
enum class ApplyType : std::uint8_t { kDefault, kAtomic, kSet, kMap, kGranular };

/// A field and its JSON name.
struct Field {
  std::string name;
  std::uint32_t number = 0;  ///< In the declaring message; 0: kind and apiVersion.
  FieldType type = FieldType::kString;
  FieldShape shape = FieldShape::kOne;
  const Message* message = nullptr;  ///< Set for FieldType::kMessage and kSchemaOr….
  bool pointer = false;              ///< Absent and zero differ; zero is written.
  /// Written even if empty: "", 0, false, {}; null for lists, maps, times and pointers.
  bool always = false;

  // Merging. By default a strategic merge patch replaces; a list is atomic, a map granular.
  std::string merge_key;          ///< A list merged by this member (patchMergeKey).
  bool merge_primitives = false;  ///< A strategic merge patch merges this list of values.
  bool retain_keys = false;       ///< $retainKeys applies.
  bool replace = false;           ///< A strategic merge patch replaces the struct.
  ApplyType apply = ApplyType::kDefault;
  std::vector<std::string> apply_keys;  ///< For ApplyType::kMap on a list.
  /// Custom resources: the default, as JSON text, of this field if it is such a key and absent.
  std::string key_default;
};

/// The field of a number of the wire format.
struct WireField {
  std::uint32_t number = 0;
  const Field* field = nullptr;  ///< Null: `inlined`.
  const Message* inlined = nullptr;
};

/// One object type. `fields` has inlined members of the wire format at their position in JSON, and
/// kind and apiVersion first if the type has them. At most 64 fields. Neither copied nor changed
/// once built.
struct Message {
  std::string name;     ///< "core.v1.PodSpec"
  std::string go_name;  ///< "v1.PodSpec"
  std::vector<Field> fields;
  ApplyType apply = ApplyType::kDefault;  ///< kAtomic: reference structs.
  /// Custom resources: the type of all members that are not in `fields`; null: there are none.
  const Field* others = nullptr;

  std::vector<WireField> wire;       ///< Sorted by number.
  std::uint64_t always = 0;          ///< One bit for each field that is always written.
  std::vector<std::uint8_t> places;  ///< find()'s hash table: index + 1, or 0.

  /// Finds a field by its JSON name, case-sensitive; null if there is none.
  [[nodiscard]] const Field* find(std::string_view json_name) const;
  /// Whether objects of this type carry kind and apiVersion.
  [[nodiscard]] bool has_kind() const {
    return !fields.empty() && fields[0].name == "kind" && fields[0].number == 0;
  }
};

/// The type of a kind; null if the kind has no schema, and its objects are stored unchanged.
/// `api_version` is "v1" or "apps/v1". Thread-safe; built once, at the first call.
[[nodiscard]] const Message* find_schema(std::string_view api_version, std::string_view kind);
/// The same, and also Status and PartialObjectMetadata, which do not belong to a group of
/// resources.
[[nodiscard]] const Message* find_wire_schema(std::string_view api_version, std::string_view kind);
/// Whether kinds of this group and version have schemas.
[[nodiscard]] bool has_schemas(std::string_view api_version);
/// ObjectMeta, for kinds without a schema and for custom resources.
[[nodiscard]] const Message& object_meta_schema();

/// Fields that decoding dropped, as paths such as `spec.foo`.
struct FieldFindings {
  std::vector<std::string> unknown;
  std::vector<std::string> duplicates;
};

/// Brings a decoded body into the form that the API stores: drops unknown members (and names them
/// in `findings`) and null members; checks quantities, times and base64 and makes them canonical;
/// drops members with Go's zero value where Go would not write them, and adds those that are always
/// written. Members get the order of the table. The message of a failure is the part after "cannot
/// be handled as a <Kind>: ".
[[nodiscard]] Status conform(const Message& message, Json& object, FieldFindings& findings);

/// The object in a protobuf body ("k8s\0" envelope) as JSON with apiVersion and kind, before
/// conform(). `kind` is the expected kind, for messages.
[[nodiscard]] Result<Json> decode_protobuf(std::string_view body, std::string_view kind);

/// An object or list with apiVersion and kind as a protobuf body, in the envelope. Nothing if the
/// kind has no schema; Status and PartialObjectMetadata have one.
[[nodiscard]] std::optional<std::string> encode_protobuf(const Json& object);
/// The same as a frame of a watch, preceded by its length.
[[nodiscard]] std::optional<std::string> encode_protobuf_event(std::string_view type,
                                                               const Json& object);

/// The decoded first frame of a protobuf watch.
struct ProtobufEvent {
  std::size_t bytes = 0;  ///< Size of the frame with its length.
  std::string type;
  Json object;  ///< See decode_protobuf(); null if its kind has no schema.
};
/// Nothing if `bytes` do not begin with a complete frame.
[[nodiscard]] std::optional<ProtobufEvent> decode_protobuf_event(std::string_view bytes);

/// The canonical text of a resource quantity; kInvalid if `text` is not one.
[[nodiscard]] Result<std::string> canonical_quantity(std::string_view text);
/// A quantity in thousandths, rounded up; saturates. For comparing and adding.
[[nodiscard]] Result<std::int64_t> quantity_milli(std::string_view text);

/// components.schemas of OpenAPI v3 for the kinds of one group version: names, types, references,
/// descriptions, x-kubernetes-group-version-kind.
[[nodiscard]] Json openapi_schemas(std::string_view api_version, const Descriptions& descriptions);

}  // namespace davit
