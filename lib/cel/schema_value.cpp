#include "lib/cel/schema_value.hpp"

#include <algorithm>
#include <davit/base64.hpp>
#include <davit/kube/signed_duration.hpp>
#include <davit/kube/time.hpp>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lib/cel/field_names.hpp"
#include "lib/cel/moments.hpp"

namespace davit::cel {

namespace {

ResourceRoot root_of(const SchemaNode& schema) {
  return schema.embedded_resource ? ResourceRoot::kYes : ResourceRoot::kNo;
}

/// A field by the name that expressions use. Most are written as they are named.
const Json::Member* member_by_field(const Json& object, std::string_view identifier) {
  const std::string field = field_of_identifier(identifier);
  const bool may_be_escaped = field.find("__") != std::string_view::npos;
  for (const Json::Member& each : object.members()) {
    if (!may_be_escaped && each.key != field) continue;
    const std::optional<std::string> escaped = escaped_field(each.key);
    if (escaped && *escaped == field) return &each;
  }
  return nullptr;
}

/// Every resource has these: apiVersion, kind, and in metadata name and generateName.
class RootMetadata : public MapValue {
 public:
  explicit RootMetadata(const Json& metadata) {
    for (const char* name : {"generateName", "name"}) {
      const Json* value = metadata.find(name);
      if (value != nullptr && value->is_string()) members_.emplace_back(name, value);
    }
  }

  [[nodiscard]] std::size_t size() const override { return members_.size(); }
  [[nodiscard]] std::optional<Value> find(const Value& key) const override {
    for (const auto& [name, value] : members_) {
      if (key.text() == name) return borrowed_text(value->text());
    }
    return std::nullopt;
  }
  [[nodiscard]] Value key_at(std::size_t index) const override {
    return borrowed_text(members_[index].first);
  }
  [[nodiscard]] Value value_at(std::size_t index) const override {
    return borrowed_text(members_[index].second->text());
  }
  [[nodiscard]] std::string_view type_name() const override { return "object"; }

 private:
  std::vector<std::pair<std::string_view, const Json*>> members_;
};

/// An object with the fields of its schema; other members do not exist for expressions.
class SchemaObject : public MapValue {
 public:
  SchemaObject(const Json& json, const SchemaNode& schema, ResourceRoot root)
      : json_(json), schema_(schema), root_(root) {}

  [[nodiscard]] std::size_t size() const override { return known().size(); }
  [[nodiscard]] std::optional<Value> find(const Value& key) const override {
    if (key.kind() != ValueKind::kString) return no_such_overload();
    const Json::Member* member = member_by_field(json_, key.text());
    return member == nullptr || !is_known(*member) ? std::nullopt
                                                   : std::optional(value_of(*member));
  }
  [[nodiscard]] Value key_at(std::size_t index) const override {
    return text_value(escaped_field(known()[index]->key).value_or(""));
  }
  [[nodiscard]] Value value_at(std::size_t index) const override {
    return value_of(*known()[index]);
  }
  [[nodiscard]] std::string_view type_name() const override { return "object"; }

 private:
  [[nodiscard]] bool is_root_member(std::string_view name) const {
    return root_ == ResourceRoot::kYes &&
           (name == "apiVersion" || name == "kind" || name == "metadata");
  }
  /// A member that is null counts as absent (apiserver/pkg/cel/common/valuesunstructured.go).
  [[nodiscard]] bool is_known(const Json::Member& member) const {
    if (member.value.is_null()) return false;
    return is_root_member(member.key) || schema_.property(member.key) != nullptr;
  }
  [[nodiscard]] std::vector<const Json::Member*> known() const {
    std::vector<const Json::Member*> out;
    for (const Json::Member& each : json_.members()) {
      if (is_known(each) && escaped_field(each.key)) out.push_back(&each);
    }
    return out;
  }
  [[nodiscard]] Value value_of(const Json::Member& member) const {
    if (is_root_member(member.key)) {
      if (member.key != "metadata") return borrowed_text(member.value.text());
      return MapRef(std::make_shared<const RootMetadata>(member.value));
    }
    const SchemaNode& schema = *schema_.property(member.key);
    return schema_value(member.value, schema, root_of(schema));
  }

  const Json& json_;
  const SchemaNode& schema_;
  const ResourceRoot root_;
};

/// An object whose members all have one schema.
class SchemaMap : public MapValue {
 public:
  SchemaMap(const Json& json, const SchemaNode& values) : json_(json), values_(values) {}

  [[nodiscard]] std::size_t size() const override { return json_.size(); }
  [[nodiscard]] std::optional<Value> find(const Value& key) const override {
    if (key.kind() != ValueKind::kString) return no_such_overload();
    const Json* found = json_.find(key.text());
    return found == nullptr ? std::nullopt : std::optional(value_of(*found));
  }
  [[nodiscard]] Value key_at(std::size_t index) const override {
    return borrowed_text(json_.members()[index].key);
  }
  [[nodiscard]] Value value_at(std::size_t index) const override {
    return value_of(json_.members()[index].value);
  }

 private:
  [[nodiscard]] Value value_of(const Json& json) const {
    return schema_value(json, values_, root_of(values_));
  }

  const Json& json_;
  const SchemaNode& values_;
};

/// Identifies an element among those of a list of the type set or map.
using Identity = std::optional<std::string>;

/// A list with the equality and the concatenation of its x-kubernetes-list-type.
class SchemaList : public ListValue {
 public:
  SchemaList(const Json& json, const SchemaNode& schema) : json_(json), schema_(schema) {}

  [[nodiscard]] std::size_t size() const override { return json_.size(); }
  [[nodiscard]] Value at(std::size_t index) const override {
    return schema_value(json_.items()[index], *schema_.items, root_of(*schema_.items));
  }

  [[nodiscard]] std::optional<Value> equals(const Value& other) const override {
    if (!has_identities()) return std::nullopt;
    const ListRef* list = other.get<ListRef>();
    if (list == nullptr || (*list)->size() != size()) return Value(false);
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < size(); ++i) places.emplace(identity(i).value_or(""), i);
    for (std::size_t i = 0; i < size(); ++i) {
      const Identity wanted = identity_in(**list, i);
      const auto found = wanted ? places.find(*wanted) : places.end();
      if (found == places.end()) return Value(false);
      if (schema_.list_type == "set") continue;
      Value same = equal(at(found->second), (*list)->at(i));
      if (!same.is_true()) return same;
    }
    return Value(true);
  }

  [[nodiscard]] std::optional<Value> plus(const ListValue& other) const override {
    if (!has_identities()) return std::nullopt;
    std::vector<Value> out;
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < size(); ++i) {
      places.emplace(identity(i).value_or(""), out.size());
      out.push_back(at(i));
    }
    for (std::size_t i = 0; i < other.size(); ++i) {
      const auto [found, added] = places.emplace(identity_in(other, i).value_or(""), out.size());
      if (added) {
        out.push_back(other.at(i));
      } else if (schema_.list_type == "map") {
        out[found->second] = other.at(i);
      }
    }
    return list_value(std::move(out));
  }

 private:
  [[nodiscard]] bool has_identities() const {
    return schema_.list_type == "set" || (schema_.list_type == "map" && !schema_.list_keys.empty());
  }

  [[nodiscard]] Identity identity(std::size_t index) const {
    const Json& element = json_.items()[index];
    if (schema_.list_type == "set") return to_canonical_text(element);
    Json::Items keys;
    for (const std::string& name : schema_.list_keys) keys.push_back(element.get(name));
    return to_canonical_text(Json(std::move(keys)));
  }

  /// The identity that an element of another list would have in this one.
  [[nodiscard]] Identity identity_in(const ListValue& list, std::size_t index) const {
    const auto* same = dynamic_cast<const SchemaList*>(&list);
    if (same != nullptr && &same->schema_ == &schema_) return same->identity(index);
    const Result<Json> element = to_json(list.at(index));
    if (!element) return std::nullopt;
    if (schema_.list_type == "set") return to_canonical_text(*element);
    Json::Items keys;
    for (const std::string& name : schema_.list_keys) {
      keys.push_back(element->get(escaped_field(name).value_or(name)));
    }
    return to_canonical_text(Json(std::move(keys)));
  }

  const Json& json_;
  const SchemaNode& schema_;
};

Value wrong_data(std::string_view wanted) {
  return error_value(std::string("invalid data, expected ").append(wanted));
}

Value int_or_string(const Json& json) {
  if (json.is_string()) return borrowed_text(json.text());
  if (const auto number = json.integer()) return *number;
  return wrong_data("XIntOrString value to be either a string or integer");
}

Value timestamp_value(const std::string& text, const std::string& format) {
  const Result<WireTime> time = parse_wire_time(format == "date" ? text + "T00:00:00Z" : text);
  if (!time) return error_value("Invalid " + format + " formatted string " + text);
  return Timestamp{time->seconds, time->nanos, format == "date" ? 0 : offset_of(text)};
}

Value string_value(const Json& json, const SchemaNode& schema) {
  if (!json.is_string()) return wrong_data("string");
  if (schema.format == "duration") {
    const auto duration = parse_signed_duration(json.text());
    if (!duration) return error_value("Invalid duration " + json.text());
    return Span{std::chrono::duration_cast<std::chrono::nanoseconds>(*duration).count()};
  }
  if (schema.format == "date" || schema.format == "date-time") {
    return timestamp_value(json.text(), schema.format);
  }
  if (schema.format == "byte") {
    std::optional<std::string> bytes = decode_base64(json.text());
    return bytes ? bytes_value(std::move(*bytes))
                 : error_value("Invalid byte formatted string " + json.text());
  }
  return borrowed_text(json.text());
}

Value number_of(const Json& json, const SchemaNode& schema) {
  if (schema.type == "number") {
    return json.is_number() ? Value(static_cast<double>(number_value(json))) : wrong_data("float");
  }
  if (const auto number = json.integer()) return *number;
  return wrong_data("int");
}

Value object_value(const Json& json, const SchemaNode& schema, ResourceRoot root) {
  if (!json.is_object()) return wrong_data("a map for the provided schema with type=object");
  if (schema.additional != nullptr && schema.properties.empty()) {
    return MapRef(std::make_shared<const SchemaMap>(json, *schema.additional));
  }
  return MapRef(std::make_shared<const SchemaObject>(json, schema, root));
}

}  // namespace

Value schema_value(const Json& json, const SchemaNode& schema, ResourceRoot root) {
  if (json.is_null()) {
    if (schema.nullable) return {};
    return error_value("invalid data, got null for schema with nullable=false");
  }
  if (schema.int_or_string) return int_or_string(json);
  if (schema.type == "object") return object_value(json, schema, root);
  if (schema.type == "array") {
    if (!json.is_array() || schema.items == nullptr) {
      return wrong_data("an array for the provided schema with type=array");
    }
    return ListRef(std::make_shared<const SchemaList>(json, schema));
  }
  if (schema.type == "string") return string_value(json, schema);
  if (schema.type == "number" || schema.type == "integer") return number_of(json, schema);
  if (schema.type == "boolean")
    return json.is_boolean() ? Value(json.boolean()) : wrong_data("bool");
  // Unknown fields: expressions see them only as parts of what they compare.
  return json_value(json);
}

}  // namespace davit::cel
