/// Values of custom resources, as expressions see them through their schema.
#pragma once

#include "lib/cel/schema_type.hpp"
#include "lib/cel/value.hpp"
#include "lib/kube/json.hpp"
#include "lib/kube/validation/schema_node.hpp"

namespace davit::cel {

/// `json` as a value of its schema: fields by their escaped names, dates, durations and bytes by
/// their formats, and lists of the types set and map with their equality and `+`. A part that does
/// not fit the schema is an error value. Borrows both, which must outlive every value made from it.
/// The rules of k8s.io/apiserver's pkg/cel/common/valuesunstructured.go.
[[nodiscard]] Value schema_value(const Json& json, const SchemaNode& schema, ResourceRoot root);

}  // namespace davit::cel
