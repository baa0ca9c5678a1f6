#include "lib/kube/schema/go_words.hpp"

namespace davit {

namespace {

/// Go's decoder leaves the indexes out.
std::string go_path_of(const Location* location) {
  if (location == nullptr) return "";
  std::string out = go_path_of(location->parent);
  if (location->name.empty()) return out;
  if (!out.empty()) out += '.';
  return out += location->name;
}

}  // namespace

std::string path_of(const Location* location) {
  if (location == nullptr) return "";
  std::string out = path_of(location->parent);
  if (location->name.empty()) return out + '[' + std::to_string(location->index) + ']';
  if (!out.empty()) out += '.';
  return out += location->name;
}

std::string_view go_kind(const Json& json) {
  constexpr std::string_view kKinds[] = {"null", "bool", "number", "string", "array", "object"};
  return kKinds[static_cast<std::size_t>(json.kind())];
}

std::string go_type(const Field& field) {
  switch (field.type) {
    case FieldType::kInt32:
      return "int32";
    case FieldType::kInt64:
      return "int64";
    case FieldType::kBoolean:
      return "bool";
    case FieldType::kBytes:
      return "[]uint8";
    case FieldType::kMessage:
      return field.message->go_name;
    case FieldType::kQuantity:
      return "resource.Quantity";
    case FieldType::kTime:
      return "v1.Time";
    case FieldType::kMicroTime:
      return "v1.MicroTime";
    case FieldType::kIntOrString:
      return "intstr.IntOrString";
    case FieldType::kStrings:
      return "v1.ExtraValue";
    case FieldType::kDouble:
      return "float64";
    case FieldType::kSchemaOrArray:
      return "v1.JSONSchemaPropsOrArray";
    case FieldType::kSchemaOrBool:
      return "v1.JSONSchemaPropsOrBool";
    case FieldType::kSchemaOrStrings:
      return "v1.JSONSchemaPropsOrStringArray";
    case FieldType::kString:
    case FieldType::kRaw:
      break;
  }
  return "string";
}

std::string go_shaped_type(const Field& field) {
  if (field.shape == FieldShape::kList) return "[]" + go_type(field);
  if (field.shape == FieldShape::kMap) return "map[string]" + go_type(field);
  return go_type(field);
}

std::string cannot_unmarshal(std::string_view what, std::string_view type, const Message& message,
                             const Location& location) {
  const std::string_view go_name = message.go_name;
  return "json: cannot unmarshal " + std::string(what) + " into Go struct field " +
         std::string(go_name.substr(go_name.find('.') + 1)) + '.' + go_path_of(&location) +
         " of type " + std::string(type);
}

}  // namespace davit
