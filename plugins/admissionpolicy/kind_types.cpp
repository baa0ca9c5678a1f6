#include "plugins/admissionpolicy/kind_types.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/cel/field_names.hpp"
#include "lib/kube/schema/schema.hpp"

namespace davit::admissionpolicy {
namespace {

using cel::TypeKind;
using cel::TypePtr;

/// Upstream numbers the types by the clock (X2).
constexpr std::string_view kNumber = "1";
/// Schemas that the server takes are not deeper.
constexpr int kDepthMax = 200;

TypePtr simple(TypeKind kind) { return cel::simple_type(kind); }

TypePtr object_of(std::string name, cel::FieldTypes fields) {
  return cel::object_type(std::move(name),
                          std::make_shared<const cel::FieldTypes>(std::move(fields)));
}

/// Types of the built-in kinds.
class BuiltIn {
 public:
  TypePtr message(const Message& message, const std::string& name) {
    if (std::ranges::find(open_, &message) != open_.end()) return object_of(name, {});
    open_.push_back(&message);
    cel::FieldTypes fields;
    for (const Field& each : message.fields) {
      const std::optional<std::string> field = cel::escaped_field(each.name);
      if (!field) continue;
      TypePtr type = shaped(message, each, name + '.' + *field);
      if (type != nullptr) fields.emplace(*field, std::move(type));
    }
    open_.pop_back();
    return object_of(name, std::move(fields));
  }

 private:
  TypePtr shaped(const Message& owner, const Field& field, const std::string& name) {
    if (field.shape == FieldShape::kOne) return value(owner, field, name);
    const bool is_list = field.shape == FieldShape::kList;
    TypePtr element = value(owner, field, name + (is_list ? ".@idx" : ".@elem"));
    if (element == nullptr) return nullptr;
    return is_list ? cel::list_type(std::move(element))
                   : cel::map_type(simple(TypeKind::kString), std::move(element));
  }

  /// Null: the server publishes no type of it.
  TypePtr value(const Message& owner, const Field& field, const std::string& name) {
    switch (field.type) {
      case FieldType::kString:
        return simple(TypeKind::kString);
      case FieldType::kInt32:
      case FieldType::kInt64:
        return simple(TypeKind::kInt);
      case FieldType::kBoolean:
        return simple(TypeKind::kBool);
      case FieldType::kBytes:
        return simple(TypeKind::kBytes);
      case FieldType::kDouble:
        return simple(TypeKind::kDouble);
      case FieldType::kTime:
      case FieldType::kMicroTime:
        return simple(TypeKind::kTimestamp);
      case FieldType::kIntOrString:
        return simple(TypeKind::kDyn);
      case FieldType::kStrings:
        return cel::list_type(simple(TypeKind::kString));
      case FieldType::kMessage:
        return message(*field.message, name);
      case FieldType::kRaw:
        // A RawExtension is an object without fields; the JSON in a schema can be anything.
        return owner.name.starts_with("apiextensions.") ? nullptr : object_of(name, {});
      case FieldType::kQuantity:
      case FieldType::kSchemaOrArray:
      case FieldType::kSchemaOrBool:
      case FieldType::kSchemaOrStrings:
        break;
    }
    return nullptr;
  }

  std::vector<const Message*> open_;  // A type within itself has no fields.
};

/// Whether the object has apiVersion, kind, metadata.name and metadata.generateName as text.
bool is_resource(const cel::FieldTypes& fields) {
  const auto is_text = [](const cel::FieldTypes& in, std::string_view name) {
    const auto found = in.find(name);
    return found != in.end() && found->second->kind == TypeKind::kString;
  };
  const auto metadata = fields.find("metadata");
  return is_text(fields, "apiVersion") && is_text(fields, "kind") && metadata != fields.end() &&
         metadata->second->fields != nullptr && is_text(*metadata->second->fields, "name") &&
         is_text(*metadata->second->fields, "generateName");
}

/// Types by the schemas of custom kinds.
class Custom {
 public:
  TypePtr type_of(const Json& schema, const std::string& name) {
    if (depth_ >= kDepthMax) return nullptr;
    ++depth_;
    TypePtr out = typed(schema, name);
    --depth_;
    return out;
  }

  /// The fields of an object's properties.
  cel::FieldTypes fields_of(const Json& schema, const std::string& name) {
    cel::FieldTypes out;
    for (const auto& [property, part] : schema.get("properties").members()) {
      const std::optional<std::string> field = cel::escaped_field(property);
      if (!field) continue;
      TypePtr type = type_of(part, name + '.' + *field);
      if (type != nullptr) out.emplace(*field, std::move(type));
    }
    return out;
  }

 private:
  TypePtr typed(const Json& schema, const std::string& name) {
    const std::string& format = schema.get("format").text();
    if (schema.get("x-kubernetes-int-or-string").boolean() || format == "int-or-string") {
      return simple(TypeKind::kDyn);
    }
    const std::string& type = schema.get("type").text();
    if (schema.get("x-kubernetes-embedded-resource").boolean()) return embedded(schema, name);
    if (type == "array") {
      TypePtr element = type_of(schema.get("items"), name + ".@idx");
      return element == nullptr ? nullptr : cel::list_type(std::move(element));
    }
    if (type == "object") {
      const Json& values = schema.get("additionalProperties");
      if (!values.is_object()) return object_of(name, fields_of(schema, name));
      TypePtr element = type_of(values, name + ".@elem");
      if (element == nullptr) return nullptr;
      return cel::map_type(simple(TypeKind::kString), std::move(element));
    }
    if (type == "string") return text(format);
    if (type == "boolean") return simple(TypeKind::kBool);
    if (type == "integer") return simple(TypeKind::kInt);
    return type == "number" ? simple(TypeKind::kDouble) : nullptr;
  }

  static TypePtr text(std::string_view format) {
    if (format == "byte") return simple(TypeKind::kBytes);
    if (format == "duration") return simple(TypeKind::kDuration);
    const bool is_time = format == "date" || format == "date-time";
    return simple(is_time ? TypeKind::kTimestamp : TypeKind::kString);
  }

  TypePtr embedded(const Json& schema, const std::string& name) {
    cel::FieldTypes fields = fields_of(schema, name);
    if (is_resource(fields)) return object_of(name, std::move(fields));
    const TypePtr string = simple(TypeKind::kString);
    fields["apiVersion"] = string;
    fields["kind"] = string;
    fields["metadata"] =
        object_of(name + ".metadata", {{"name", string}, {"generateName", string}});
    return object_of(name, std::move(fields));
  }

  int depth_ = 0;
};

}  // namespace

cel::TypePtr built_in_type(const GroupVersionKind& kind) {
  const std::string version = kind.group.empty() ? kind.version : kind.group + '/' + kind.version;
  const Message* message = find_schema(version, kind.kind);
  if (message == nullptr) return nullptr;
  return BuiltIn().message(*message, kind.kind + std::string(kNumber));
}

cel::TypePtr custom_type(const Json& definition, const GroupVersionKind& kind) {
  for (const Json& each : definition.get("spec").get("versions").items()) {
    if (each.get("name").text() != kind.version) continue;
    const Json& schema = each.get("schema").get("openAPIV3Schema");
    if (!schema.is_object()) return nullptr;
    const std::string name = kind.kind + std::string(kNumber);
    cel::FieldTypes fields = Custom().fields_of(schema, name);
    fields["apiVersion"] = simple(TypeKind::kString);
    fields["kind"] = simple(TypeKind::kString);
    fields["metadata"] = BuiltIn().message(object_meta_schema(), name + ".metadata");
    return object_of(name, std::move(fields));
  }
  return nullptr;
}

}  // namespace davit::admissionpolicy
