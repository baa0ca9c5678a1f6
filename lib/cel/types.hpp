/// The static types of CEL expressions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace davit::cel {

struct Type;
/// Types are shared and never change.
using TypePtr = std::shared_ptr<const Type>;
/// The fields of an object type, by the name that expressions use.
using FieldTypes = std::map<std::string, TypePtr, std::less<>>;

enum class TypeKind : std::uint8_t {
  kError,  ///< The type of a wrong expression; fits everything, so one mistake is one error.
  kDyn,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTimestamp,
  kDuration,
  kList,    ///< One parameter.
  kMap,     ///< Two parameters: key and value.
  kObject,  ///< Known by its name; has fields.
  kOpaque,  ///< Known by its name and parameters, such as optional_type(int).
  kType,    ///< The type of a type; at most one parameter.
  kParam,   ///< A type parameter of an overload, or a variable of the checker.
};

/// A type. Two types are the same if kind, name and parameters are.
struct Type {
  TypeKind kind = TypeKind::kDyn;
  std::string name;  ///< Objects, opaque types and parameters have it.
  std::vector<TypePtr> parameters;
  std::shared_ptr<const FieldTypes> fields;  ///< Objects may have them; null: unknown.
  std::size_t variable = 0;                  ///< The number of a variable of the checker.
  std::size_t nodes = 1;                     ///< The size of the tree of parameters.
  bool has_error = false;                    ///< This type or a parameter is !error!.
};

/// A chain of macros can double the type of its elements with each, so types have a limit.
/// No schema comes near it.
inline constexpr std::size_t kTypeNodesMax = 1'000;

/// `type` as a shared one; !error! if it has more than kTypeNodesMax nodes.
[[nodiscard]] TypePtr make_type(Type type);
/// A type without name and parameters.
[[nodiscard]] TypePtr simple_type(TypeKind kind);
[[nodiscard]] TypePtr list_type(TypePtr element);
[[nodiscard]] TypePtr map_type(TypePtr key, TypePtr value);
[[nodiscard]] TypePtr optional_type(TypePtr value);
[[nodiscard]] TypePtr type_type(TypePtr of);
[[nodiscard]] TypePtr object_type(std::string name, std::shared_ptr<const FieldTypes> fields);
[[nodiscard]] TypePtr opaque_type(std::string name, std::vector<TypePtr> parameters = {});
[[nodiscard]] TypePtr param_type(std::string name);

/// Reads a type as the tables of declarations write it: `map(string, list(A))`, `optional(V)`.
/// A single capital letter is a parameter; the types of Kubernetes come without their package, as
/// in `IP` and `Quantity`. A malformed text ends the process.
[[nodiscard]] TypePtr type_literal(std::string_view text);

/// The type as error messages show it: `list(string)`.
[[nodiscard]] std::string to_text(const Type& type);
[[nodiscard]] bool same_type(const Type& a, const Type& b);
/// Whether `type` is optional_type(T); its T is the only parameter.
[[nodiscard]] bool is_optional(const Type& type);

}  // namespace davit::cel
