#include "sandbox/crd/apply_schema.hpp"

#include <algorithm>
#include <utility>

namespace davit::sandbox {

namespace {

FieldType scalar_type(const SchemaNode& node) {
  if (node.int_or_string) return FieldType::kIntOrString;
  if (node.type == "integer") return FieldType::kInt64;
  if (node.type == "boolean") return FieldType::kBoolean;
  if (node.type == "string") return FieldType::kString;
  return FieldType::kQuantity;  // Any scalar.
}

bool is_container(const SchemaNode& node) { return node.type == "object" || node.type == "array"; }

}  // namespace

ApplySchema::ApplySchema(const SchemaNode& root) : root_(&message_of(root)) {
  root_->apply = ApplyType::kDefault;
  auto& fields = root_->fields;
  std::erase_if(fields, [](const Field& each) { return each.name == "metadata"; });
  Field metadata;
  metadata.name = "metadata";
  metadata.type = FieldType::kMessage;
  metadata.message = &object_meta_schema();
  metadata.always = true;
  fields.push_back(std::move(metadata));
}

Message& ApplySchema::message_of(const SchemaNode& node) {
  Message& message = *messages_.emplace_back(std::make_unique<Message>());
  if (node.map_type == "atomic") message.apply = ApplyType::kAtomic;
  for (const SchemaNode::Property& each : node.properties) {
    message.fields.push_back(field_of(each.name, *each.node));
  }
  if (node.embedded_resource) {
    for (const char* name : {"apiVersion", "kind"}) {
      if (node.property(name) != nullptr) continue;
      Field& field = message.fields.emplace_back();
      field.name = name;
    }
    if (node.property("metadata") == nullptr) {
      Field& field = message.fields.emplace_back();
      field.name = "metadata";
      field.type = FieldType::kMessage;
      field.message = &object_meta_schema();
    }
  }
  if (node.preserve_unknown || node.any_additional) {
    Field open;
    open.type = FieldType::kRaw;
    open.apply = ApplyType::kGranular;
    message.others = keep(std::move(open));
  } else if (node.additional != nullptr) {
    message.others = keep(field_of("", *node.additional));
  }
  return message;
}

Field ApplySchema::field_of(std::string name, const SchemaNode& node) {
  Field field;
  field.name = std::move(name);
  if (node.fallback && !is_container(node)) field.key_default = to_text(*node.fallback);
  if (node.type == "array") {
    field.shape = FieldShape::kList;
    add_list(node, field);
  } else if (node.type == "object" || node.preserve_unknown) {
    const bool known = node.type == "object" && (!node.properties.empty() || node.additional);
    if (known || node.embedded_resource) {
      field.type = FieldType::kMessage;
      field.message = &message_of(node);
    } else {
      field.type = FieldType::kRaw;
      field.apply = ApplyType::kGranular;
    }
    if (node.map_type == "atomic") field.apply = ApplyType::kAtomic;
  } else {
    field.type = scalar_type(node);
  }
  return field;
}

void ApplySchema::add_list(const SchemaNode& node, Field& field) {
  field.type = FieldType::kRaw;
  if (node.items == nullptr) return;
  if (node.list_type == "set" && !is_container(*node.items)) {
    field.type = scalar_type(*node.items);
    field.apply = ApplyType::kSet;
  } else if (node.list_type == "map" && node.items->type == "object") {
    field.type = FieldType::kMessage;
    field.message = &message_of(*node.items);
    field.apply = ApplyType::kMap;
    field.apply_keys = node.list_keys;
    std::sort(field.apply_keys.begin(), field.apply_keys.end());
  }
}

const Field* ApplySchema::keep(Field field) {
  return fields_.emplace_back(std::make_unique<Field>(std::move(field))).get();
}

}  // namespace davit::sandbox
