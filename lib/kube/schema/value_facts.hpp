/// Defaults and enums of OpenAPI.
#pragma once

#include <span>
#include <string_view>

namespace davit {

/// Inlined fields have a row for each type that OpenAPI shows them in.
struct ValueFact {
  std::string_view type;   ///< "core.v1.Container"
  std::string_view field;  ///< "imagePullPolicy"
  /// JSON, "null" for no default. Empty: the zero value if Go always writes the field, else none.
  std::string_view default_value;
  std::string_view allowed;  ///< "Always|IfNotPresent|Never", for a list those of its items; or "".
};

/// Sorted by type, then by field. Valid for the life of the process.
[[nodiscard]] std::span<const ValueFact> value_facts();

}  // namespace davit
