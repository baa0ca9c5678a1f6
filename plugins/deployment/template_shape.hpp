/// What the members of a pod template mean where JSON alone leaves it open. Pure.
#pragma once

#include <string_view>

namespace davit::deployment {

/// How a member compares when one side lacks it. A list that is empty and a null always equal
/// absence.
enum class FieldKind {
  kPlain,  ///< Absent differs from everything, from {} too: `labelSelector: {}` matches all pods.
  kEmbedded,  ///< A part that is always there in the API's own types: absent equals all-empty.
  kMap,  ///< Keys are data: absent equals {}, and the keys inside have no meaning of their own.
  kQuantities,  ///< A map whose values are quantities.
  kQuantity,    ///< Compared as a number: "1" equals "1000m".
};

/// The kind of the member `key` of an object within a pod template, below any object but a map.
[[nodiscard]] FieldKind field_kind(std::string_view key);

}  // namespace davit::deployment
