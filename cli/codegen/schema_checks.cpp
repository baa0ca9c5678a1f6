#include "cli/codegen/schema_checks.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>
#include <vector>

namespace davit::host::codegen {
namespace {

using Kind = YamlNode::Kind;
using Found = std::optional<SchemaMistake>;

const std::vector<std::string> kTypes = {"array",  "boolean", "integer",
                                         "number", "object",  "string"};

Found wrong(const YamlNode& at, std::string text) { return SchemaMistake{&at, std::move(text)}; }

bool open_or_mixed(const YamlNode& schema) {
  return is_true(schema, "x-kubernetes-preserve-unknown-fields") ||
         is_true(schema, "x-kubernetes-int-or-string");
}

Found check_type(const YamlNode& schema, Strictness strictness) {
  const YamlNode* type = schema.find("type");
  if (type != nullptr && std::ranges::find(kTypes, type->text) == kTypes.end()) {
    const std::string meant = nearest(type->text, kTypes);
    return wrong(*type, "the type must be array, boolean, integer, number, object or string, not " +
                            type->describe() +
                            (meant.empty() ? "" : "; did you mean " + meant + "?"));
  }
  if (strictness == Strictness::kOpenApi) return {};
  if (const YamlNode* reference = schema.find("$ref")) {
    return wrong(*reference, "a CustomResourceDefinition cannot have $ref; write the schema here");
  }
  if (type != nullptr && is_true(schema, "x-kubernetes-int-or-string")) {
    return wrong(*type, "x-kubernetes-int-or-string and type exclude each other; remove type");
  }
  if (type == nullptr && !open_or_mixed(schema)) {
    return wrong(schema,
                 "the type is missing: give it one, or x-kubernetes-preserve-unknown-fields: true "
                 "if it may be anything");
  }
  return {};
}

/// Members that need another type than the schema has.
Found check_members(const YamlNode& schema, Strictness strictness) {
  const std::string type = schema_type(schema);
  const YamlNode* properties = schema.find("properties");
  const YamlNode* additional = schema.find("additionalProperties");
  const YamlNode* items = schema.find("items");
  if (properties != nullptr && type != "object" && !type.empty()) {
    return wrong(*properties, "properties contradict the type " + type + "; it must be object");
  }
  if (properties != nullptr && properties->kind != Kind::kMapping && !properties->is_null()) {
    return wrong(*properties, "properties must be a mapping, not " + properties->describe());
  }
  if (additional != nullptr && type != "object" && !type.empty()) {
    return wrong(*additional,
                 "additionalProperties contradict the type " + type + "; it must be object");
  }
  const bool both = properties != nullptr && !properties->members.empty() &&
                    additional != nullptr && additional->text != "false";
  if (both && strictness == Strictness::kStructural) {
    return wrong(*additional, "properties and additionalProperties exclude each other");
  }
  if (items != nullptr && type != "array") {
    return wrong(*items, "items contradict the type " + type + "; it must be array");
  }
  if (items != nullptr && items->kind != Kind::kMapping) {
    return wrong(*items, "items must be one schema, not " + items->describe());
  }
  if (items == nullptr && type == "array" && strictness == Strictness::kStructural) {
    return wrong(schema, "an array needs the schema of its items");
  }
  return {};
}

Found check_required(const YamlNode& schema) {
  const YamlNode* required = schema.find("required");
  const YamlNode* properties = schema.find("properties");
  if (required == nullptr || properties == nullptr || open_or_mixed(schema)) return {};
  for (const YamlNode& each : required->items) {
    if (properties->find(each.text) == nullptr) {
      return wrong(each, "required names \"" + each.text +
                             "\", which is not a property; add it, or remove it from required");
    }
  }
  return {};
}

bool fits(const YamlNode& value, const std::string& type) {
  switch (value.kind) {
    case Kind::kNull:
      return true;  // nullable
    case Kind::kBoolean:
      return type == "boolean";
    case Kind::kInteger:
      return type == "integer" || type == "number";
    case Kind::kFloat:
      return type == "number";
    case Kind::kString:
      return type == "string";
    case Kind::kSequence:
      return type == "array";
    case Kind::kMapping:
      return type == "object";
  }
  return false;
}

Found check_values(const YamlNode& schema) {
  const std::string type = schema_type(schema);
  const YamlNode* values = schema.find("enum");
  if (values != nullptr && values->items.empty()) {
    return wrong(*values, "the enum is empty, so no value is valid; list its values");
  }
  std::set<std::string> seen;
  if (values != nullptr && !type.empty()) {
    for (const YamlNode& each : values->items) {
      if (!fits(each, type)) {
        return wrong(each, "the enum has " + each.describe() + ", which is not of type " + type +
                               (type == "string" ? "; quote it" : ""));
      }
      if (!each.is_null() && !seen.insert(each.text).second) {
        return wrong(each, "the enum has " + each.describe() + " twice");
      }
    }
  }
  const YamlNode* fallback = schema.find("default");
  if (fallback == nullptr || type.empty() || fallback->is_null()) return {};
  if (!fits(*fallback, type)) {
    return wrong(*fallback,
                 "the default is " + fallback->describe() + ", which is not of type " + type);
  }
  if (type == "string" && !seen.empty() && !seen.contains(fallback->text)) {
    return wrong(*fallback, "the default \"" + fallback->text + "\" is not in the enum");
  }
  return {};
}

std::optional<double> number_at(const YamlNode& schema, std::string_view key) {
  const YamlNode* node = schema.find(key);
  if (node == nullptr) return std::nullopt;
  double out = 0;
  const char* end = node->text.data() + node->text.size();
  const auto [last, error] = std::from_chars(node->text.data(), end, out);
  return error == std::errc() && last == end ? std::optional(out) : std::nullopt;
}

Found check_bounds(const YamlNode& schema) {
  constexpr std::pair<std::string_view, std::string_view> kBounds[] = {
      {"minimum", "maximum"},
      {"minLength", "maxLength"},
      {"minItems", "maxItems"},
      {"minProperties", "maxProperties"}};
  for (const auto& [least, most] : kBounds) {
    const auto low = number_at(schema, least);
    const auto high = number_at(schema, most);
    if (low && high && *low > *high) {
      return wrong(*schema.find(least), std::string(least) + " is greater than " +
                                            std::string(most) + ", so no value is valid");
    }
  }
  return {};
}

Found check_keys(const YamlNode& schema) {
  const YamlNode* type = schema.find("x-kubernetes-list-type");
  const YamlNode* keys = schema.find("x-kubernetes-list-map-keys");
  if (type == nullptr || type->text != "map") return {};
  if (keys == nullptr || keys->items.empty()) {
    return wrong(*type, "a list of type map needs x-kubernetes-list-map-keys");
  }
  const YamlNode* items = schema.find("items");
  const YamlNode* properties = items != nullptr ? items->find("properties") : nullptr;
  for (const YamlNode& each : keys->items) {
    if (properties != nullptr && properties->find(each.text) == nullptr) {
      return wrong(each, "the key \"" + each.text + "\" is not a property of the items");
    }
  }
  return {};
}

}  // namespace

Found check_schema(const YamlNode& schema, Strictness strictness) {
  if (schema.kind != Kind::kMapping) {
    return wrong(schema, "a schema must be a mapping, not " + schema.describe());
  }
  if (Found found = check_type(schema, strictness)) return found;
  if (Found found = check_members(schema, strictness)) return found;
  if (strictness == Strictness::kOpenApi) return {};
  if (Found found = check_required(schema)) return found;
  if (Found found = check_values(schema)) return found;
  if (Found found = check_bounds(schema)) return found;
  return check_keys(schema);
}

std::string schema_type(const YamlNode& schema) {
  if (const YamlNode* type = schema.find("type")) return type->text;
  return schema.find("properties") != nullptr ? "object" : "";
}

const YamlNode* reference_of(const YamlNode& schema) {
  if (const YamlNode* reference = schema.find("$ref")) return reference;
  const YamlNode* all = schema.find("allOf");
  if (all == nullptr || all->items.size() != 1 || schema.find("type") != nullptr) return nullptr;
  return all->items.front().find("$ref");
}

bool is_true(const YamlNode& schema, std::string_view key) {
  const YamlNode* found = schema.find(key);
  return found != nullptr && found->kind == Kind::kBoolean && found->text.starts_with('t');
}

bool lists(const YamlNode& schema, std::string_view key, std::string_view text) {
  const YamlNode* found = schema.find(key);
  return found != nullptr && std::ranges::any_of(found->items, [text](const YamlNode& each) {
           return each.text == text;
         });
}

std::string description_of(const YamlNode& schema) {
  const YamlNode* found = schema.find("description");
  if (found == nullptr) return "";
  const std::size_t begin = found->text.find_first_not_of(" \t\r\n");
  const std::size_t end = found->text.find_last_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : found->text.substr(begin, end - begin + 1);
}

std::optional<std::string> default_of(const YamlNode& schema) {
  const YamlNode* found = schema.find("default");
  const bool scalar = found != nullptr && !found->is_null() && found->kind != Kind::kSequence &&
                      found->kind != Kind::kMapping;
  return scalar ? std::optional(found->text) : std::nullopt;
}

}  // namespace davit::host::codegen
