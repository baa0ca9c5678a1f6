/// The words of Go's JSON decoder for what it could not decode.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/kube/schema/schema.hpp"

namespace davit {

/// The location of a walk in an object: links on its stack, turned into text only for a finding.
struct Location {
  const Location* parent = nullptr;  ///< Null: a member of the object itself.
  std::string_view name;             ///< The member's name; empty: an element of a list.
  std::size_t index = 0;
};

/// With indexes: `spec.containers[0].name`.
[[nodiscard]] std::string path_of(const Location* location);

/// "string", "number", …: the kind of a value.
[[nodiscard]] std::string_view go_kind(const Json& json);
/// "int32", "v1.Container": the type of one value of the field.
[[nodiscard]] std::string go_type(const Field& field);
/// With the field's shape: "[]v1.Container", "map[string]string".
[[nodiscard]] std::string go_shaped_type(const Field& field);

/// "json: cannot unmarshal `what` into Go struct field PodSpec.spec.hostNetwork of type bool"
[[nodiscard]] std::string cannot_unmarshal(std::string_view what, std::string_view type,
                                           const Message& message, const Location& location);

}  // namespace davit
