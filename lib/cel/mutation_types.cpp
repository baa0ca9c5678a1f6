#include "lib/cel/mutation_types.hpp"

#include <string>

#include "lib/cel/mutations.hpp"

namespace davit::cel {

TypePtr mutation_type(std::string_view name) {
  return is_mutation_type(name) ? object_type(std::string(name), nullptr) : nullptr;
}

TypePtr mutation_field(const Type& type, std::string_view field) {
  if (type.kind != TypeKind::kObject || !is_mutation_type(type.name)) return nullptr;
  // Nothing is known of the fields of objects, so there may be any.
  if (type.name != kJsonPatchType) return simple_type(TypeKind::kDyn);
  if (field == "value") return simple_type(TypeKind::kDyn);
  const bool text = field == "op" || field == "path" || field == "from";
  return text ? simple_type(TypeKind::kString) : nullptr;
}

}  // namespace davit::cel
