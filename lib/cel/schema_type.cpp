// The rules of k8s.io/apiserver/pkg/cel/common/schemas.go and pkg/cel/limits.go.
#include "lib/cel/schema_type.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/cel/field_names.hpp"

namespace davit::cel {

namespace {

constexpr std::uint64_t kStringBytesMin = 2;     // ""
constexpr std::uint64_t kBoolBytesMin = 4;       // true
constexpr std::uint64_t kNumberBytesMin = 1;     // 0
constexpr std::uint64_t kContainerBytesMin = 2;  // {}
constexpr std::uint64_t kDurationBytesMin = 3;   // "0"
constexpr std::uint64_t kDateBytes = 12;         // "2026-01-01"
constexpr std::uint64_t kTimeBytesMin = 21;
constexpr std::uint64_t kTimeBytesMax = 32;
constexpr std::uint64_t kDurationBytesMax = 32;
constexpr std::uint64_t kStringMax = kRequestBytesMax - 2;  // Without the quotes.
constexpr std::uint64_t kCharacterBytesMax = 4;

SchemaTypePtr scalar(TypeKind kind, std::uint64_t serialized_min, std::uint64_t elements_max = 0) {
  SchemaType out;
  out.type = simple_type(kind);
  out.serialized_min = serialized_min;
  out.elements_max = elements_max;
  return std::make_shared<const SchemaType>(std::move(out));
}

SchemaTypePtr string_type(const SchemaNode& schema) {
  const std::optional<std::uint64_t> limit = schema.length_max;
  if (schema.format == "byte") {
    return scalar(TypeKind::kBytes, kStringBytesMin, limit.value_or(kStringMax));
  }
  if (schema.format == "duration") {
    return scalar(TypeKind::kDuration, kDurationBytesMin, kDurationBytesMax);
  }
  if (schema.format == "date") return scalar(TypeKind::kTimestamp, kDateBytes, kDateBytes);
  if (schema.format == "date-time") {
    return scalar(TypeKind::kTimestamp, kTimeBytesMin, kTimeBytesMax);
  }
  std::uint64_t characters = kStringMax;
  if (limit) {
    characters = *limit * kCharacterBytesMax;
  } else if (!schema.allowed.empty()) {
    characters = 0;
    for (const Json& each : schema.allowed) {
      if (each.is_string()) characters = std::max(characters, each.text().size());
    }
  }
  return scalar(TypeKind::kString, kStringBytesMin, characters);
}

SchemaTypePtr array_type(const SchemaNode& schema, const std::string& name) {
  if (schema.items == nullptr) return nullptr;
  SchemaType out;
  out.element = schema_type(
      *schema.items, schema.items->embedded_resource ? ResourceRoot::kYes : ResourceRoot::kNo,
      name + ".@idx");
  if (out.element == nullptr) return nullptr;
  out.type = list_type(out.element->type);
  out.serialized_min = kContainerBytesMin;
  out.elements_max =
      schema.items_max.value_or((kRequestBytesMax - 2) / (out.element->serialized_min + 1));
  return std::make_shared<const SchemaType>(std::move(out));
}

SchemaTypePtr mapping_type(const SchemaNode& schema, const std::string& name) {
  SchemaType out;
  const SchemaNode& values = *schema.additional;
  out.element = schema_type(
      values, values.embedded_resource ? ResourceRoot::kYes : ResourceRoot::kNo, name + ".@elem");
  if (out.element == nullptr) return nullptr;
  out.key = scalar(TypeKind::kString, kStringBytesMin);
  out.type = map_type(out.key->type, out.element->type);
  out.serialized_min = kContainerBytesMin;
  // A member has at least an empty key, a colon and a comma, and some more.
  out.elements_max =
      schema.members_max.value_or((kRequestBytesMax - 2) / (out.element->serialized_min + 6));
  return std::make_shared<const SchemaType>(std::move(out));
}

/// Collects the fields of an object.
class ObjectType {
 public:
  explicit ObjectType(std::string name) : name_(std::move(name)) {
    out_.serialized_min = kContainerBytesMin;
  }

  void add(const std::string& property, const SchemaTypePtr& type) {
    const std::optional<std::string> field = escaped_field(property);
    if (!field) return;
    out_.fields[*field] = type;
    types_[*field] = type->type;
  }

  void add_required(std::string_view property, const SchemaType& type) {
    out_.serialized_min += property.size() + type.serialized_min + 4;
  }

  [[nodiscard]] const std::string& name() const { return name_; }

  SchemaTypePtr take() {
    out_.type = object_type(std::move(name_), std::make_shared<const FieldTypes>(types_));
    return std::make_shared<const SchemaType>(std::move(out_));
  }

 private:
  std::string name_;
  SchemaType out_;
  FieldTypes types_;
};

/// Every resource has these, whatever its schema says.
void add_type_and_metadata(ObjectType& object) {
  const SchemaTypePtr text = scalar(TypeKind::kString, kStringBytesMin, kStringMax);
  ObjectType metadata(object.name() + ".metadata");
  metadata.add("name", text);
  metadata.add("generateName", text);
  object.add("kind", text);
  object.add("apiVersion", text);
  object.add("metadata", metadata.take());
}

SchemaTypePtr members_type(const SchemaNode& schema, ResourceRoot root, const std::string& name) {
  ObjectType out(name);
  const auto is_root_member = [root](std::string_view property) {
    return root == ResourceRoot::kYes &&
           (property == "kind" || property == "apiVersion" || property == "metadata");
  };
  for (const SchemaNode::Property& each : schema.properties) {
    if (is_root_member(each.name)) continue;
    const std::string field = escaped_field(each.name).value_or(each.name);
    const SchemaTypePtr type = schema_type(
        *each.node, each.node->embedded_resource ? ResourceRoot::kYes : ResourceRoot::kNo,
        name + '.' + field);
    if (type == nullptr) continue;
    out.add(each.name, type);
    const bool required = std::find(schema.required.begin(), schema.required.end(), each.name) !=
                          schema.required.end();
    if (required && !each.node->fallback) out.add_required(each.name, *type);
  }
  if (root == ResourceRoot::kYes) add_type_and_metadata(out);
  return out.take();
}

}  // namespace

SchemaTypePtr schema_type(const SchemaNode& schema, ResourceRoot root, const std::string& name) {
  if (schema.int_or_string) {
    const std::uint64_t characters =
        schema.length_max ? *schema.length_max * kCharacterBytesMax : kStringMax;
    return scalar(TypeKind::kDyn, 1, characters);
  }
  if (schema.type == "array") return array_type(schema, name);
  if (schema.type == "object") {
    return schema.additional != nullptr ? mapping_type(schema, name)
                                        : members_type(schema, root, name);
  }
  if (schema.type == "string") return string_type(schema);
  if (schema.type == "boolean") return scalar(TypeKind::kBool, kBoolBytesMin);
  if (schema.type == "number") return scalar(TypeKind::kDouble, kNumberBytesMin);
  if (schema.type == "integer") return scalar(TypeKind::kInt, kNumberBytesMin);
  return nullptr;
}

}  // namespace davit::cel
