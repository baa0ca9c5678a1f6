#include "cli/codegen/members.hpp"

#include "cli/codegen/identifiers.hpp"

namespace davit::host::codegen {
namespace {

const Type* object_element(const Type& type) {
  const bool list = type.kind == TypeKind::kList && !type.element.empty();
  return list && type.element.front().kind == TypeKind::kObject ? &type.element.front() : nullptr;
}

/// "ports" and its keys → "ports_by_name"; "" unless each key can be compared.
std::string finder_name(const Module& module, const Property& property, const std::string& name) {
  const Type* element = object_element(property.type);
  if (element == nullptr || property.type.keys.empty()) return "";
  std::string out = name + "_by";
  for (std::size_t i = 0; i < property.type.keys.size(); ++i) {
    bool comparable = false;
    for (const Property& each : module.objects[element->target].properties) {
      const TypeKind kind = each.type.kind;
      const bool scalar = kind == TypeKind::kText || kind == TypeKind::kInteger ||
                          kind == TypeKind::kBoolean || kind == TypeKind::kEnum;
      comparable = comparable || (each.json == property.type.keys[i] && scalar);
    }
    if (!comparable) return "";
    out += (i == 0 ? "_" : "_and_") + snake_case(property.type.keys[i]);
  }
  return out;
}

}  // namespace

Members members_of(const Module& module, const ObjectType& object, const ReservedNames& reserved) {
  bool is_kind = false;
  for (const KindType& kind : module.kinds) {
    is_kind = is_kind || &module.objects[kind.root] == &object;
  }
  Scope names(is_kind ? reserved.of_kinds : reserved.of_parts, reserved.is_keyword);
  Members out;
  for (const Property& each : object.properties) {
    out.names.push_back(names.claim(snake_case(each.json)));
  }
  for (std::size_t i = 0; i < object.properties.size(); ++i) {
    const Property& property = object.properties[i];
    if (property.type.kind == TypeKind::kConditions && out.condition_finder.empty()) {
      out.condition_finder = names.claim("condition");
    }
    const std::string finder = finder_name(module, property, out.names[i]);
    out.key_finders.push_back(finder.empty() ? "" : names.claim(finder));
  }
  if (object.open) out.others = names.claim("others");
  return out;
}

std::string group_name(const Module& module, const std::vector<Module>& modules) {
  const auto first_label = [](const std::string& group) {
    return group.empty() ? std::string("core") : group.substr(0, group.find('.'));
  };
  bool shared = false;
  for (const Module& each : modules) {
    shared = shared ||
             (each.group != module.group && first_label(each.group) == first_label(module.group));
  }
  return snake_case(shared && !module.group.empty() ? module.group : first_label(module.group));
}

}  // namespace davit::host::codegen
