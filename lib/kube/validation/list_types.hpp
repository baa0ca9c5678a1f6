/// Lists whose elements have an identity (x-kubernetes-list-type), and values that an update leaves
/// as they were.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_error.hpp"
#include "lib/kube/validation/schema_node.hpp"

namespace davit {

/// The elements of the list that another one replaces, by their keys. Only lists of the type map
/// have counterparts. The schema and the old list must outlive it.
class Counterparts {
 public:
  /// `old` may be null.
  Counterparts(const SchemaNode& schema, const Json* old);

  /// Returns null if it has no counterpart.
  [[nodiscard]] const Json* of(const Json& element) const;

 private:
  [[nodiscard]] std::optional<std::string> key_of(const Json& element) const;

  const std::vector<std::string>& keys_;
  std::unordered_map<std::string, const Json*> by_key_;
};

/// Whether a value equals the one that it replaces; elements of a list of the type map may have
/// changed places. k8s: CorrelatedObject.CachedDeepEqual of k8s.io/apiserver/pkg/cel/common.
[[nodiscard]] bool is_unchanged(const Json& value, const Json& old, const SchemaNode& schema);

/// Finds equal elements of sets, and of maps those with equal keys.
/// k8s: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype.
void check_list_types(const Json& object, const SchemaNode& schema, FieldErrors& errors);

}  // namespace davit
