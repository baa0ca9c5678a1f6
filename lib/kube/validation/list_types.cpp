#include "lib/kube/validation/list_types.hpp"

#include <algorithm>
#include <cstddef>

#include "lib/kube/validation/field_path.hpp"

namespace davit {

namespace {

bool is_map(const SchemaNode& schema) {
  return schema.list_type == "map" && !schema.list_keys.empty();
}

bool members_unchanged(const Json& value, const Json& old, const SchemaNode& schema) {
  return std::ranges::all_of(value.members(), [&](const Json::Member& each) {
    const Json* before = old.find(each.key);
    if (before == nullptr) return false;
    // Upstream knows no counterpart of a member without a schema.
    const SchemaNode* known = schema.member(each.key);
    return known != nullptr && is_unchanged(each.value, *before, *known);
  });
}

/// One walk through the lists of an object.
class ListCheck {
 public:
  explicit ListCheck(FieldErrors& errors) : errors_(errors) {}

  void check(const Json& value, const SchemaNode& schema, const FieldPath& path) {
    if (value.is_array()) return list(value, schema, path);
    for (const auto& [name, each] : value.members()) {
      const SchemaNode* own = schema.property(name);
      if (own != nullptr) {
        check(each, *own, path.child(name));
      } else if (schema.additional != nullptr) {
        check(each, *schema.additional, path.key(name));
      }
    }
  }

 private:
  void list(const Json& value, const SchemaNode& schema, const FieldPath& path) {
    if (schema.list_type == "set") elements(value, schema, path);
    if (schema.list_type == "map" && are_objects(value, path)) elements(value, schema, path);
    if (schema.items == nullptr) return;
    for (std::size_t i = 0; i < value.size(); ++i) {
      check(value.items()[i], *schema.items, path.index(i));
    }
  }

  bool are_objects(const Json& list, const FieldPath& path) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Json& each = list.items()[i];
      if (each.is_object() || each.is_null()) continue;
      errors_.push_back(field_invalid(path.index(i).text(), each,
                                      "must be an object for an array of list-type map"));
      return false;
    }
    return true;
  }

  /// Upstream names only the second one of several equal elements.
  void elements(const Json& list, const SchemaNode& schema, const FieldPath& path) {
    std::unordered_map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Json& element = list.items()[i];
      const Json identity = schema.list_type == "set" ? element : keys_of(element, schema);
      if (++seen[to_canonical_text(identity)] != 2) continue;
      errors_.push_back(field_duplicate(path.index(i).text(), identity));
    }
  }

  static Json keys_of(const Json& element, const SchemaNode& schema) {
    Json out = Json::object();
    for (const std::string& name : schema.list_keys) {
      if (const Json* value = element.find(name)) out.set(name, *value);
    }
    return out;
  }

  FieldErrors& errors_;
};

}  // namespace

Counterparts::Counterparts(const SchemaNode& schema, const Json* old) : keys_(schema.list_keys) {
  if (old == nullptr || !is_map(schema)) return;
  for (const Json& each : old->items()) {
    if (const std::optional<std::string> key = key_of(each)) by_key_.emplace(*key, &each);
  }
}

const Json* Counterparts::of(const Json& element) const {
  if (by_key_.empty()) return nullptr;
  const std::optional<std::string> key = key_of(element);
  const auto found = key ? by_key_.find(*key) : by_key_.end();
  return found == by_key_.end() ? nullptr : found->second;
}

std::optional<std::string> Counterparts::key_of(const Json& element) const {
  std::string out;
  for (const std::string& name : keys_) {
    const Json* value = element.find(name);
    if (value == nullptr) return std::nullopt;
    append_text(out, *value);
    out += ',';
  }
  return out;
}

bool is_unchanged(const Json& value, const Json& old, const SchemaNode& schema) {
  if (value.is_object() && old.is_object()) {
    return value.size() == old.size() && members_unchanged(value, old, schema);
  }
  if (!value.is_array() || !old.is_array() || !is_map(schema) || schema.items == nullptr) {
    return value == old;
  }
  if (value.size() != old.size()) return false;
  const Counterparts counterparts(schema, &old);
  return std::ranges::all_of(value.items(), [&](const Json& each) {
    const Json* before = counterparts.of(each);
    return before != nullptr && is_unchanged(each, *before, *schema.items);
  });
}

void check_list_types(const Json& object, const SchemaNode& schema, FieldErrors& errors) {
  ListCheck(errors).check(object, schema, FieldPath());
}

}  // namespace davit
