/// The types of `davit codegen`, between the schemas that are read and the language that is
/// written.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace davit::host::codegen {

enum class TypeKind {
  kAny,  ///< Any JSON value, which stays untyped.
  kText,
  kInteger,
  kNumber,
  kBoolean,
  kTime,
  kDuration,
  kQuantity,
  kIntOrString,
  kEnum,
  kObject,
  kMetadata,  ///< Metadata of a template.
  kList,
  kMap,
  kConditions,  ///< A list of objects with `type` and `status`.
};

/// The type of a property or element.
struct Type {
  TypeKind kind = TypeKind::kAny;
  std::size_t target = 0;              ///< kObject, kEnum: index in the Module.
  std::vector<Type> element = {};      ///< kList, kMap: exactly one.
  std::vector<std::string> keys = {};  ///< kList of objects: the members that identify an element.
  bool unordered = false;              ///< kList: a set, or with keys.
};

struct Property {
  std::string json;         ///< The name of the member.
  std::string description;  ///< Empty: none.
  Type type;
  bool required = false;
  /// The default of a string, integer, number, boolean or enum as text.
  std::optional<std::string> fallback;
};

struct EnumType {
  std::string name;
  std::string description;
  std::vector<std::string> values;  ///< Not empty, each once.
};

struct ObjectType {
  std::string name;
  std::string description;
  bool open = false;  ///< May have members that the schema does not name.
  std::vector<Property> properties;
};

/// A kind that the API server serves. Its spec, status and so on are properties of `root`.
struct KindType {
  std::string group;
  std::string version;
  std::string plural;
  std::string kind;
  std::size_t root = 0;  ///< Index of its ObjectType, which lacks apiVersion, kind and metadata.
  bool has_status_subresource = false;
  std::vector<std::string> paths;  ///< The fields, in the syntax of a note's projection.
};

/// The types of one group and version. Names are unique, also with "Draft" behind them.
struct Module {
  std::string group;
  std::string version;
  std::vector<EnumType> enums;
  /// Ordered: an object follows those that it contains, except in cycles.
  std::vector<ObjectType> objects;
  std::vector<KindType> kinds;
};

}  // namespace davit::host::codegen
