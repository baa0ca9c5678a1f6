/// The values of expressions of mutations. The rules of k8s.io/apiserver's pkg/cel/mutation and
/// pkg/admission/plugin/policy/mutating/patch.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/cel/value.hpp"
#include "lib/kube/json.hpp"

namespace davit::cel {

inline constexpr std::string_view kJsonPatchType = "JSONPatch";
/// The type of whole objects; those of their parts are "Object.spec" and so on.
inline constexpr std::string_view kObjectType = "Object";

[[nodiscard]] bool is_mutation_type(std::string_view name);
/// `made`, an object of the type, or an error if a JSONPatch has members of other types than those
/// of its fields.
[[nodiscard]] Value checked_mutation(std::string_view type, Value made);

/// The result of an expression in JSON.
struct Mutation {
  Json json;
  std::string error = {};  ///< Why it cannot be used; empty: `json` is set.
  /// `json` has values that upstream leaves in the form of its evaluator, so that they fit no type:
  /// maps in other maps and lists, times, bytes. They are numbers whose text is none, but what
  /// messages show of them.
  bool foreign = false;
};

/// Limits for text and values, by the memory that each takes: one value may occur in many places,
/// so a short expression could describe a huge object.
inline constexpr std::size_t kMutationBytesMax = 3 * 1024 * 1024;

/// The fields of an `Object`.
[[nodiscard]] Mutation applied_object(const Value& value);
/// A list of `JSONPatch` as a JSON patch.
[[nodiscard]] Mutation json_patch(const Value& value);

}  // namespace davit::cel
