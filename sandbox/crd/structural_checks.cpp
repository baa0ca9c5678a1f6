// The rules of k8s.io/apiextensions-apiserver/pkg/apiserver/schema: only structural schemas can be
// pruned and defaulted.
#include <algorithm>
#include <array>

#include "lib/kube/validation/pattern.hpp"
#include "sandbox/crd/structural_schema.hpp"

namespace davit::sandbox {

namespace {

constexpr std::array<std::string_view, 6> kTypes = {"object",  "array",  "string",
                                                    "integer", "number", "boolean"};

/// The role of a node in a schema: the structure itself, or a condition on it inside allOf and its
/// like, which may not define structure.
enum class Role { kRoot, kProperty, kItems, kAdditional, kCondition };

class StructuralCheck {
 public:
  explicit StructuralCheck(FieldErrors& errors) : errors_(errors) {}

  void check(const Json& schema, const std::string& path, Role role) {
    if (!schema.is_object()) return;
    if (role == Role::kCondition) {
      no_structure(schema, path);
    } else {
      type(schema, path, role);
      extensions(schema, path);
    }
    forbidden(schema, path);
    if (const std::string& pattern = schema.text_at({"pattern"}); !pattern.empty()) {
      const Result<Pattern> compiled = Pattern::compile(pattern);
      if (!compiled) {
        errors_.push_back(field_invalid(
            path + ".pattern", Json(pattern),
            "must be a valid regular expression, but isn't: " + compiled.error().message()));
      }
    }
    children(schema, path, role);
  }

 private:
  void type(const Json& schema, const std::string& path, Role role) {
    const std::string& name = schema.text_at({"type"});
    const bool free = schema.get("x-kubernetes-int-or-string").boolean() ||
                      schema.get("x-kubernetes-preserve-unknown-fields").boolean();
    if (name.empty()) {
      if (free && role != Role::kRoot) return;
      constexpr std::array<std::string_view, 4> kWhere = {
          "must not be empty at the root", "must not be empty for specified object fields",
          "must not be empty for specified array items",
          "must not be empty for specified object fields"};
      errors_.push_back(field_required(path + ".type", kWhere[static_cast<std::size_t>(role)]));
    } else if (std::find(kTypes.begin(), kTypes.end(), name) == kTypes.end()) {
      errors_.push_back(
          field_not_supported(path + ".type", Json(name), {kTypes.begin(), kTypes.end()}));
    } else if (role == Role::kRoot && name != "object") {
      errors_.push_back(field_invalid(path + ".type", Json(name), "must be object at the root"));
    } else if (name == "array" && !schema.get("items").is_object()) {
      errors_.push_back(field_required(path + ".items", "must be specified"));
    }
  }

  void extensions(const Json& schema, const std::string& path) {
    const std::string& type = schema.text_at({"type"});
    if (schema.get("x-kubernetes-embedded-resource").boolean() && type != "object") {
      errors_.push_back(field_invalid(path + ".type", Json(type),
                                      "must be object if x-kubernetes-embedded-resource is true"));
    }
    if (schema.get("x-kubernetes-int-or-string").boolean() && !type.empty()) {
      errors_.push_back(field_invalid(path + ".type", Json(type),
                                      "must be empty if x-kubernetes-int-or-string is true"));
    }
    list_type(schema, path, type);
    const std::string& map_type = schema.text_at({"x-kubernetes-map-type"});
    if (!map_type.empty() && map_type != "atomic" && map_type != "granular") {
      errors_.push_back(field_not_supported(path + ".x-kubernetes-map-type", Json(map_type),
                                            {"atomic", "granular"}));
    }
  }

  void list_type(const Json& schema, const std::string& path, const std::string& type) {
    const std::string& list_type = schema.text_at({"x-kubernetes-list-type"});
    const Json& keys = schema.get("x-kubernetes-list-map-keys");
    if (list_type.empty() && keys.size() == 0) return;
    if (!list_type.empty() && type != "array") {
      errors_.push_back(field_invalid(path + ".type", Json(type),
                                      "must be array if x-kubernetes-list-type is specified"));
    }
    if (!list_type.empty() && list_type != "atomic" && list_type != "set" && list_type != "map") {
      errors_.push_back(field_not_supported(path + ".x-kubernetes-list-type", Json(list_type),
                                            {"atomic", "set", "map"}));
    }
    if (list_type == "map" && keys.size() == 0) {
      errors_.push_back(field_required(path + ".x-kubernetes-list-map-keys",
                                       "must not be empty if x-kubernetes-list-type is map"));
    }
    if (list_type != "map" && keys.size() != 0) {
      errors_.push_back(field_invalid(path + ".x-kubernetes-list-type", Json(list_type),
                                      "must be map if x-kubernetes-list-map-keys is non-empty"));
    }
    if (list_type != "map") return;
    const Json& items = schema.get("items");
    for (const Json& key : keys.items()) {
      if (items.get("properties").contains(key.text())) {
        key_present(items, key, path);
      } else {
        errors_.push_back(field_invalid(path + ".x-kubernetes-list-map-keys", keys,
                                        "entries must all be names of item properties"));
      }
    }
  }

  void key_present(const Json& items, const Json& key, const std::string& path) {
    const Json& required = items.get("required");
    const bool is_required =
        std::find(required.items().begin(), required.items().end(), key) != required.items().end();
    const std::string at = path + ".items.properties[" + key.text() + "].default";
    if (!is_required && !items.get("properties").get(key.text()).contains("default")) {
      errors_.push_back(field_required(
          at,
          "this property is in x-kubernetes-list-map-keys, so it must have a default or be a "
          "required property"));
    }
  }

  void no_structure(const Json& schema, const std::string& path) {
    constexpr std::array<std::string_view, 4> kStructure = {"type", "default", "nullable",
                                                            "additionalProperties"};
    for (const std::string_view name : kStructure) {
      if (schema.get(name).empty()) continue;
      errors_.push_back(
          field_forbidden(path + '.' + std::string(name), "must be empty to be structural"));
    }
    for (const std::string_view name :
         {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource",
          "x-kubernetes-int-or-string"}) {
      if (!schema.get(name).boolean()) continue;
      errors_.push_back(
          field_forbidden(path + '.' + std::string(name), "must be false to be structural"));
    }
  }

  void forbidden(const Json& schema, const std::string& path) {
    if (schema.contains("$ref")) {
      errors_.push_back(field_forbidden(path + ".$ref", "$ref is not supported"));
    }
    for (const char* name : {"definitions", "dependencies", "patternProperties", "id", "$schema"}) {
      if (schema.get(name).empty()) continue;
      errors_.push_back(
          field_forbidden(path + '.' + name, std::string(name) + " is not supported"));
    }
    if (schema.get("uniqueItems").boolean()) {
      errors_.push_back(field_forbidden(path + ".uniqueItems",
                                        "uniqueItems cannot be set to true since the runtime "
                                        "complexity becomes quadratic"));
    }
    if (schema.get("additionalProperties").is_boolean() &&
        !schema.get("additionalProperties").boolean()) {
      errors_.push_back(field_forbidden(path + ".additionalProperties",
                                        "additionalProperties cannot be set to false"));
    }
    if (schema.get("items").is_array()) {
      errors_.push_back(
          field_forbidden(path + ".items", "items must be a schema object and not an array"));
    }
    if (schema.get("properties").size() != 0 && !schema.get("additionalProperties").empty()) {
      errors_.push_back(
          field_forbidden(path + ".additionalProperties",
                          "additionalProperties and properties are mutual exclusive"));
    }
  }

  void children(const Json& schema, const std::string& path, Role role) {
    const bool condition = role == Role::kCondition;
    for (const auto& [name, value] : schema.get("properties").members()) {
      check(value, path + ".properties[" + name + ']',
            condition ? Role::kCondition : Role::kProperty);
    }
    check(schema.get("items"), path + ".items", condition ? Role::kCondition : Role::kItems);
    if (!condition) {
      check(schema.get("additionalProperties"), path + ".additionalProperties", Role::kAdditional);
    }
    for (const std::string name : {"allOf", "anyOf", "oneOf"}) {
      const Json::Items& items = schema.get(name).items();
      // The one role where a condition may name a type: what an int-or-string is.
      if (schema.get("x-kubernetes-int-or-string").boolean()) continue;
      for (std::size_t i = 0; i < items.size(); ++i) {
        check(items[i], path + '.' + name + '[' + std::to_string(i) + ']', Role::kCondition);
      }
    }
    check(schema.get("not"), path + ".not", Role::kCondition);
  }

  FieldErrors& errors_;
};

}  // namespace

void check_structural(const Json& schema, const std::string& path, FieldErrors& errors) {
  StructuralCheck(errors).check(schema, path, Role::kRoot);
}

}  // namespace davit::sandbox
