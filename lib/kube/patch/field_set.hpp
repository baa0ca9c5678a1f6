/// FieldSet: a set of field paths, as managedFields records who owns what
/// (k8s: structured-merge-diff/fieldpath).
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit {

struct FieldChild;

/// A tree of path elements. An element is named as in fieldsV1: `f:name` a member, `k:{"name":"c"}`
/// an element of a list by its keys, `v:"x"` an element by its value, `i:0` by its place.
struct FieldSet {
  bool member = false;               ///< The path that leads here is in the set.
  std::vector<FieldChild> children;  ///< Sorted by key; none is empty.

  [[nodiscard]] bool empty() const { return !member && children.empty(); }
  [[nodiscard]] const FieldSet* find(std::string_view key) const;
  /// The child, made when missing: to be filled at once, for an empty one must not stay.
  FieldSet& child(std::string_view key);
  /// Appends unless `set` is empty. sort() must follow.
  void append(std::string key, FieldSet set);
  void sort();

  friend bool operator==(const FieldSet& a, const FieldSet& b) = default;
};

struct FieldChild {
  std::string key;
  FieldSet set;
  friend bool operator==(const FieldChild& a, const FieldChild& b) = default;
};

[[nodiscard]] FieldSet union_of(FieldSet a, const FieldSet& b);
[[nodiscard]] FieldSet intersection_of(const FieldSet& a, const FieldSet& b);
/// The paths of `a` that are not in `b`; what lies below a path of `b` stays.
[[nodiscard]] FieldSet difference_of(const FieldSet& a, const FieldSet& b);

/// From fieldsV1. kInvalid when a key has no known form.
[[nodiscard]] Result<FieldSet> parse_fields(const Json& fields);
/// Writes fieldsV1. A leaf is `{}`; an inner path that is itself in the set has a member ".".
[[nodiscard]] Json to_fields(const FieldSet& set);

// The same on fieldsV1 itself, in time that depends on `set` alone: most writes touch few of the
// many paths that a manager owns.

/// Whether anything was taken away. Null is what an emptied `fields` becomes.
bool subtract_from_fields(Json& fields, const FieldSet& set);
/// Whether anything was new.
bool add_to_fields(Json& fields, const FieldSet& set);

/// Each path as messages show it, such as `.spec.containers[name="c"].image`; the members of a
/// level come before what is below them.
[[nodiscard]] std::vector<std::string> path_texts(const FieldSet& set);

}  // namespace davit
