/// The fields that patches do not merge in the default way.
#pragma once

#include <span>
#include <string_view>

namespace davit {

struct MergeFact {
  std::string_view type;    ///< "core.v1.PodSpec"
  std::string_view fields;  ///< Names with a space between; empty: the type wherever it is used.
  /// Strategic merge: a merge key, "primitives", "replace", "retainKeys", or a key and retainKeys.
  std::string_view strategic;
  /// Server-side apply: "atomic", "set", "granular", or "map" and its keys.
  std::string_view apply;
};

/// Valid for the life of the process.
[[nodiscard]] std::span<const MergeFact> merge_facts();

}  // namespace davit
