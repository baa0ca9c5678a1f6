// The rules of k8s.io/apiextensions-apiserver/pkg/apiserver/schema: only structural schemas can be
// pruned and defaulted.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "lib/kube/validation/pattern.hpp"
#include "sandbox/crd/structural_schema.hpp"

namespace davit::sandbox {

namespace {

constexpr std::array<std::string_view, 6> kTypes = {"object",  "array",  "string",
                                                    "integer", "number", "boolean"};

/// The role of a node in a schema: the structure itself, or a condition on it inside allOf and its
/// like, which may not define structure.
enum class Role { kRoot, kProperty, kItems, kAdditional, kCondition };

/// The first pass looks for what no schema may have; without findings, the second at structure.
enum class Pass { kForbidden, kStructure };

class StructuralCheck {
 public:
  StructuralCheck(Pass pass, FieldErrors& errors) : pass_(pass), errors_(errors) {}

  void check(const Json& schema, const std::string& path, Role role) {
    if (!schema.is_object()) return;
    if (pass_ == Pass::kForbidden) {
      forbidden(schema, path);
      pattern(schema, path);
      if (role != Role::kCondition) extensions(schema, path);
    } else if (role == Role::kCondition) {
      no_structure(schema, path);
    } else {
      type(schema, path, role);
      if (role == Role::kRoot || schema.get("x-kubernetes-embedded-resource").boolean()) {
        resource(schema, path);
      }
    }
    children(schema, path, role);
  }

 private:
  void pattern(const Json& schema, const std::string& path) {
    if (const std::string& pattern = schema.text_at({"pattern"}); !pattern.empty()) {
      const Result<Pattern> compiled = Pattern::compile(pattern);
      if (!compiled) {
        errors_.push_back(field_invalid(
            path + ".pattern", Json(pattern),
            "must be a valid regular expression, but isn't: " + compiled.error().message()));
      }
    }
  }

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
    } else if (role == Role::kRoot && name != "object") {
      errors_.push_back(field_invalid(path + ".type", Json(name), "must be object at the root"));
    } else if (name == "array" && !schema.get("items").is_object()) {
      errors_.push_back(field_required(path + ".items", "must be specified"));
    }
  }

  void extensions(const Json& schema, const std::string& path) {
    const std::string& type = schema.text_at({"type"});
    if (!type.empty() && std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
      errors_.push_back(
          field_not_supported(path + ".type", Json(type), {kTypes.begin(), kTypes.end()}));
    }
    if (type == "null") {
      errors_.push_back(field_forbidden(
          path + ".type", "type cannot be set to null, use nullable as an alternative"));
    }
    const Json& keeps = schema.get("x-kubernetes-preserve-unknown-fields");
    if (keeps.is_boolean() && !keeps.boolean()) {
      errors_.push_back(field_invalid(path + ".x-kubernetes-preserve-unknown-fields", keeps,
                                      "must be true or undefined"));
    }
    embedded(schema, path, type);
    list_type(schema, path, type);
    const std::string& map_type = schema.text_at({"x-kubernetes-map-type"});
    if (!map_type.empty() && map_type != "atomic" && map_type != "granular") {
      errors_.push_back(field_not_supported(path + ".x-kubernetes-map-type", Json(map_type),
                                            {"atomic", "granular"}));
    }
    if (!map_type.empty() && type != "object") {
      errors_.push_back(field_invalid(path + ".type", Json(type),
                                      "must be object if x-kubernetes-map-type is specified"));
    }
  }

  void embedded(const Json& schema, const std::string& path, const std::string& type) {
    if (!schema.get("x-kubernetes-embedded-resource").boolean()) return;
    if (type != "object") {
      errors_.push_back(field_invalid(path + ".type", Json(type),
                                      "must be object if x-kubernetes-embedded-resource is true"));
    }
    if (schema.get("properties").size() == 0 &&
        !schema.get("x-kubernetes-preserve-unknown-fields").boolean()) {
      errors_.push_back(
          field_required(path + ".properties",
                         "must not be empty if x-kubernetes-embedded-resource is true without "
                         "x-kubernetes-preserve-unknown-fields"));
    }
  }

  /// The members that every object has.
  void resource(const Json& schema, const std::string& path) {
    const Json& properties = schema.get("properties");
    for (const char* member : {"kind", "apiVersion"}) {
      const std::string& type = properties.get(member).get("type").text();
      if (!properties.contains(member) || type == "string") continue;
      errors_.push_back(
          field_invalid(path + ".properties[" + member + "].type", Json(type), "must be string"));
    }
    if (!properties.contains("metadata")) return;
    const Json& metadata = properties.get("metadata");
    const std::string at = path + ".properties[metadata]";
    if (metadata.get("type").text() != "object") {
      errors_.push_back(field_invalid(at + ".type", metadata.get("type"), "must be object"));
    }
    for (const Json::Member& each : metadata.get("properties").members()) {
      if (each.key == "name" || each.key == "generateName") continue;
      errors_.push_back(field_forbidden(
          at,
          "must not specify anything other than name and generateName, but metadata is "
          "implicitly specified"));
      return;
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
    const Json& items = schema.get("items");
    if (list_type == "set") set_items(items, path + ".items");
    if (list_type != "map") return;
    std::set<std::string> seen;
    for (const Json& key : keys.items()) {
      if (!seen.insert(key.text()).second) {
        errors_.push_back(field_invalid(path + ".x-kubernetes-list-map-keys", keys,
                                        "must not contain duplicate entries"));
      } else if (items.get("properties").contains(key.text())) {
        key_present(items, key, path);
      } else {
        errors_.push_back(field_invalid(path + ".x-kubernetes-list-map-keys", keys,
                                        "entries must all be names of item properties"));
      }
    }
  }

  /// Elements of a set are compared as a whole.
  void set_items(const Json& items, const std::string& path) {
    const std::string& type = items.get("type").text();
    const std::string member = type == "array"    ? "x-kubernetes-list-type"
                               : type == "object" ? "x-kubernetes-map-type"
                                                  : "";
    if (member.empty()) return;
    const Json& atomic = items.get(member);
    // A list is atomic unless it says otherwise.
    if (atomic.text() == "atomic" || (type == "array" && atomic.is_null())) return;
    errors_.push_back(field_invalid(path + '.' + member, atomic,
                                    "must be atomic as item of a list with "
                                    "x-kubernetes-list-type=set"));
  }

  void key_present(const Json& items, const Json& key, const std::string& path) {
    const Json& required = items.get("required");
    const bool is_required =
        std::find(required.items().begin(), required.items().end(), key) != required.items().end();
    const std::string property = path + ".items.properties[" + key.text() + ']';
    const std::string& type = items.get("properties").get(key.text()).get("type").text();
    if (type == "object" || type == "array") {
      errors_.push_back(field_invalid(property + ".type", Json(type),
                                      "must be a scalar type if parent array's "
                                      "x-kubernetes-list-type is map"));
    }
    const std::string at = property + ".default";
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
      if (name != "oneOf" && schema.get("x-kubernetes-int-or-string").boolean() &&
          (is_int_or_string(schema) ||
           (name == "allOf" && !items.empty() && is_int_or_string(items.front())))) {
        continue;
      }
      for (std::size_t i = 0; i < items.size(); ++i) {
        check(items[i], path + '.' + name + '[' + std::to_string(i) + ']', Role::kCondition);
      }
    }
    check(schema.get("not"), path + ".not", Role::kCondition);
  }

  /// anyOf an integer and a string, in that order.
  static bool is_int_or_string(const Json& schema) {
    const Json::Items& any = schema.get("anyOf").items();
    return any.size() == 2 && any[0].get("type").text() == "integer" &&
           any[1].get("type").text() == "string";
  }

  const Pass pass_;
  FieldErrors& errors_;
};

}  // namespace

void check_structural(const Json& schema, const std::string& path, FieldErrors& errors) {
  const std::size_t before = errors.size();
  StructuralCheck(Pass::kForbidden, errors).check(schema, path, Role::kRoot);
  if (errors.size() != before) return;
  StructuralCheck(Pass::kStructure, errors).check(schema, path, Role::kRoot);
}

}  // namespace davit::sandbox
