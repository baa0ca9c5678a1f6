/// Checks of the rules of x-kubernetes-validations when their definition is written.
#pragma once

#include <string>

#include "lib/kube/json.hpp"
#include "lib/kube/validation/schema_node.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// Adds what is wrong with the rules of a structural schema and of all below it: members that are
/// missing or malformed, expressions that do not compile or cost too much, and uses of oldSelf
/// where no old value can be found. `node`: the schema, compiled. `path`: the field of `schema`.
void check_rules(const Json& schema, const SchemaNode& node, const std::string& path,
                 FieldErrors& errors);

}  // namespace davit::sandbox
