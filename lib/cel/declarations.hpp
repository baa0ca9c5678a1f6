/// The functions of CEL and of Kubernetes' libraries with the types that they take.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/cel/types.hpp"

namespace davit::cel {

/// One form of a function.
struct Overload {
  enum class Style : unsigned char { kGlobal, kMember };

  std::string id;  ///< "starts_with_string", as in cel-go's checked expressions.
  Style style = Style::kGlobal;
  std::vector<TypePtr> arguments;  ///< The target of a member first.
  TypePtr result;
  bool generic = false;  ///< Has type parameters.
};

/// The overloads of a function in the order in which cel-go tries them; null if it has none.
/// `name` is that of calls in the tree: "startsWith", "_+_", "ip.isCanonical".
[[nodiscard]] const std::vector<Overload>* find_function(std::string_view name);

/// The names of all functions and operators, sorted.
[[nodiscard]] std::vector<std::string> function_names();

/// The type that an identifier such as `int`, `list` or `net.IP` stands for; null: none.
[[nodiscard]] TypePtr find_type(std::string_view name);

}  // namespace davit::cel
