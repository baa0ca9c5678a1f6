/// Identifiers of the members of generated types, in any language.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/codegen/type_model.hpp"

namespace davit::host::codegen {

/// The identifiers of an object's properties, in their order; the same for view and draft.
struct Members {
  std::vector<std::string> names;
  std::string condition_finder;          ///< Empty: the object has no conditions.
  std::vector<std::string> key_finders;  ///< One for each property; empty: no list with keys.
  std::string others;                    ///< Empty: the object is closed.
};
/// Names that the language or the SDK has taken.
struct ReservedNames {
  std::set<std::string> of_kinds;
  std::set<std::string> of_parts;
  bool (*is_keyword)(std::string_view word);
};

[[nodiscard]] Members members_of(const Module& module, const ObjectType& object,
                                 const ReservedNames& reserved);

/// The first label of a module's group, or the whole group if another one begins with the same
/// label; in snake case.
[[nodiscard]] std::string group_name(const Module& module, const std::vector<Module>& modules);

}  // namespace davit::host::codegen
