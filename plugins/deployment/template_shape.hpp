/// The meaning of a pod template's members where JSON alone leaves it open. Pure.
#pragma once

#include <string_view>

namespace davit::deployment {

/// The comparison of a member that one side lacks. An empty list and null always equal absence.
enum class FieldKind {
  kPlain,  ///< Absent differs from everything, from {} too: `labelSelector: {}` matches all pods.
  kEmbedded,    ///< A part that is always there in the API's own types: absent equals all-empty.
  kPodSpec,     ///< Embedded, and its own `resources` are a pointer, unlike those of a container.
  kMap,         ///< Keys are data: absent equals {}, and the keys inside have no special meaning.
  kQuantities,  ///< A map whose values are quantities.
  kQuantity,    ///< Compared as a number: "1" equals "1000m", and "0" absence.
  kOptionalQuantity,  ///< Compared as a number; absent differs from "0".
};

/// Whether the members of an object of this kind are data and not fields.
[[nodiscard]] inline bool keys_are_data(FieldKind kind) {
  return kind == FieldKind::kMap || kind == FieldKind::kQuantities;
}

/// The kind of the member `key` of an object of the kind `parent` within a pod template.
[[nodiscard]] FieldKind field_kind(FieldKind parent, std::string_view key);

}  // namespace davit::deployment
