#include <utility>

#include "lib/kube/patch/typed_walk.hpp"

namespace davit {

namespace {

using Form = ValueType::Form;

Json without(const Json& value, const FieldSet& set, const ValueType& type, Level level);

Json without_members(const Json& value, const FieldSet& set, const ValueType& type, Level level) {
  Json::Members out;
  out.reserve(value.size());
  for (const auto& [name, each] : value.members()) {
    const FieldSet* inner = set.find("f:" + name);
    if (inner == nullptr) {
      out.push_back({name, each});
    } else if (!inner->member) {
      const MemberType known = member_type(type, name, level);
      out.push_back({name, without(each, *inner, known.type, level_below(name, level))});
    }
  }
  return out.empty() ? Json() : Json(std::move(out));
}

Json without_elements(const Json& value, const FieldSet& set, const ValueType& type) {
  const std::vector<std::string> keys = element_keys(type, value);
  Json::Items out;
  out.reserve(value.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Json& each = value.items()[i];
    const FieldSet* inner = set.find(keys[i]);
    if (inner == nullptr) {
      out.push_back(each);
    } else if (!inner->member) {
      out.push_back(without(each, *inner, type.element(), Level::kInner));
    }
  }
  return out.empty() ? Json() : Json(std::move(out));
}

Json without(const Json& value, const FieldSet& set, const ValueType& type, Level level) {
  if (set.children.empty() || value.size() == 0) return value;
  const ValueType seen = type.resolved(&value);
  switch (seen.form) {
    case Form::kStruct:
    case Form::kMap:
      return value.is_object() ? without_members(value, set, seen, level) : value;
    case Form::kList:
    case Form::kSet:
      return value.is_array() ? without_elements(value, set, seen) : value;
    case Form::kLeaf:
    case Form::kDeduced:
      break;
  }
  return value;
}

}  // namespace

Json without_fields(const Json& object, const FieldSet& set, const Message* schema) {
  return without(object, set, ValueType::of_object(schema), Level::kObject);
}

}  // namespace davit
