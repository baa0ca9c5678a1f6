#include "lib/kube/patch/value_type.hpp"

#include <algorithm>
#include <array>

#include "lib/base/json_text.hpp"

namespace davit {

namespace {

constexpr std::array<std::string_view, 9> kUntrackedMetadata = {
    "name",       "namespace",     "creationTimestamp", "selfLink",   "uid",
    "generation", "managedFields", "resourceVersion",   "clusterName"};

constexpr std::string_view kProtocolDefault = "\"TCP\"";

}  // namespace

ValueType ValueType::of_object(const Message* schema) {
  if (schema == nullptr) return {};
  return {Form::kStruct, schema, nullptr};
}

ValueType ValueType::of_message(const Message* message) {
  if (message == nullptr) return {};
  if (message->apply == ApplyType::kAtomic) return {Form::kLeaf, nullptr, nullptr};
  return {Form::kStruct, message, nullptr};
}

ValueType ValueType::of_field(const Field& field) {
  constexpr ValueType kLeafType{Form::kLeaf, nullptr, nullptr};
  if (field.apply == ApplyType::kAtomic) return kLeafType;
  switch (field.shape) {
    case FieldShape::kOne:
      if (field.type == FieldType::kMessage) {
        // The field's word wins over that of its type.
        return field.apply == ApplyType::kGranular ? of_object(field.message)
                                                   : of_message(field.message);
      }
      // Embedded objects are atomic unless a custom resource's schema leaves them open.
      return field.type == FieldType::kRaw && field.apply == ApplyType::kGranular ? ValueType()
                                                                                  : kLeafType;
    case FieldShape::kMap:
      return {Form::kMap, nullptr, &field};
    case FieldShape::kList:
      if (field.apply == ApplyType::kSet) return {Form::kSet, nullptr, &field};
      if (field.apply == ApplyType::kMap) return {Form::kList, field.message, &field};
      return kLeafType;
  }
  return kLeafType;
}

ValueType ValueType::element() const {
  if (field == nullptr) return {};
  if (field->type == FieldType::kMessage) return of_message(field->message);
  if (field->type == FieldType::kRaw && field->apply == ApplyType::kGranular) return {};
  return {Form::kLeaf, nullptr, nullptr};
}

ValueType ValueType::resolved(const Json* value) const {
  if (form != Form::kDeduced) return *this;
  if (value != nullptr && value->is_object()) return {Form::kMap, nullptr, nullptr};
  return {Form::kLeaf, nullptr, nullptr};
}

MemberType member_type(const ValueType& parent, std::string_view name, Level level) {
  if (parent.form != ValueType::Form::kStruct) {
    if (level == Level::kObject && name == "metadata") {
      return {ValueType::of_message(&object_meta_schema()), true, true, true};
    }
    return {parent.element(), true, false, false};
  }
  const Field* field = find_field(*parent.message, name);
  if (field != nullptr) return {ValueType::of_field(*field), true, true, field->always};
  if (const Field* others = parent.message->others) {
    return {ValueType::of_field(*others), true, false, false};
  }
  // TypeMeta is not in the tables; embedded objects may carry it.
  const bool type_meta = name == "apiVersion" || name == "kind";
  return {{}, type_meta, false, false};
}

bool never_tracked(std::string_view name, Level level) {
  switch (level) {
    case Level::kObject:
      return name == "apiVersion" || name == "kind";
    case Level::kMetadata:
      return std::find(kUntrackedMetadata.begin(), kUntrackedMetadata.end(), name) !=
             kUntrackedMetadata.end();
    case Level::kInner:
      return false;
  }
  return false;
}

Level level_below(std::string_view name, Level level) {
  return level == Level::kObject && name == "metadata" ? Level::kMetadata : Level::kInner;
}

const Field* find_field(const Message& message, std::string_view name) {
  if (!message.places.empty()) return message.find(name);
  const auto found = std::find_if(message.fields.begin(), message.fields.end(),
                                  [name](const Field& each) { return each.name == name; });
  return found == message.fields.end() ? nullptr : &*found;
}

std::string_view key_default(const ValueType& list, std::string_view key) {
  if (list.message == nullptr) return {};
  const Field* field = find_field(*list.message, key);
  if (field != nullptr && !field->key_default.empty()) return field->key_default;
  if (list.message->name.empty()) return {};  // A custom resource has none in its schema.
  if (key == "protocol") return kProtocolDefault;
  // In the OpenAPI of built-in kinds, a field that is always written has its zero as default.
  const bool has_zero =
      (field != nullptr && field->always) || list.message->name == "core.v1.LocalObjectReference";
  if (!has_zero) return {};
  return field == nullptr || field->type == FieldType::kString ? std::string_view(R"("")") : "0";
}

std::optional<std::string> element_key(const ValueType& list, const Json& element) {
  if (list.form == ValueType::Form::kSet) return "v:" + to_text(element);
  std::string out = "k:{";
  // Sorted in the table already, as the form asks for.
  for (const std::string& key : list.field->apply_keys) {
    const Json* const value = element.find(key);
    const std::string_view absent = value == nullptr ? key_default(list, key) : std::string_view();
    if (value == nullptr && absent.empty()) continue;  // Names another element than any value does.
    if (out.size() > 3) out += ',';
    append_quoted(out, key);
    out += ':';
    if (value != nullptr) {
      append_text(out, *value);
    } else {
      out += absent;
    }
  }
  if (out.size() == 3) return std::nullopt;
  return out + '}';
}

std::vector<std::string> element_keys(const ValueType& list, const Json& value) {
  std::vector<std::string> out;
  out.reserve(value.size());
  for (const Json& each : value.items()) {
    out.push_back(element_key(list, each).value_or("i:" + std::to_string(out.size())));
  }
  return out;
}

bool same_element(const ValueType& list, const Json& a, const Json& b) {
  if (list.form == ValueType::Form::kSet) return a == b;
  for (const std::string& key : list.field->apply_keys) {
    const Json* left = a.find(key);
    const Json* right = b.find(key);
    if (left == nullptr || right == nullptr || *left != *right) return false;
  }
  return true;
}

}  // namespace davit
