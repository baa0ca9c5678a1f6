/// Walks over typed values (k8s: structured-merge-diff/typed): which fields a value has, where two
/// differ, merging an intent into an object, and taking fields out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/patch/field_set.hpp"
#include "lib/kube/patch/value_type.hpp"

namespace davit {

/// Members of the whole object that a walk leaves out, beside those that are never tracked.
using ResetFields = std::vector<std::string>;

/// The differences between two objects.
struct Comparison {
  FieldSet changed;  ///< Other or new values.
  FieldSet removed;

  [[nodiscard]] bool same() const { return changed.empty() && removed.empty(); }
};

/// `before` may be null: nothing was there but what is always written.
[[nodiscard]] Comparison compare_objects(const Json& before, const Json& after,
                                         const Message* schema, const ResetFields& reset);

/// All leaves of an object, and the elements of its lists. `problems`, when not null, gets what
/// does not fit the schema: ".foo: field not declared in schema".
[[nodiscard]] FieldSet fields_of(const Json& object, const Message* schema,
                                 const ResetFields& reset,
                                 std::vector<std::string>* problems = nullptr);

/// Problems of fields_of() as one message.
[[nodiscard]] std::string joined_problems(const std::vector<std::string>& problems);

/// `set` with every field of a struct that has children in it.
[[nodiscard]] FieldSet with_named_fields(const FieldSet& set, const Message* schema);

/// `live` with all that `applied` says; maps and keyed lists are united, the rest is replaced.
[[nodiscard]] Json merged_object(const Json& live, const Json& applied, const Message* schema);

/// `object` without the paths of `set`. What they leave empty becomes null.
[[nodiscard]] Json without_fields(const Json& object, const FieldSet& set, const Message* schema);

}  // namespace davit
