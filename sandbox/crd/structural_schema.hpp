/// The OpenAPI schema of a custom resource, compiled once per version.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <string>

#include "lib/kube/json.hpp"
#include "lib/kube/schema/schema.hpp"
#include "lib/kube/validation/schema_node.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// kInvalid when a pattern does not compile or the schema is too deep or too large.
[[nodiscard]] Result<std::unique_ptr<const SchemaNode>> compile_schema(const Json& schema);

/// Reports everything that makes a schema not structural, below the field `path`.
void check_structural(const Json& schema, const std::string& path, FieldErrors& errors);

/// Drops members that the schema does not have, except apiVersion, kind and metadata.
void prune(Json& object, const SchemaNode& schema, FieldFindings& findings);
/// Drops nulls where they are not allowed, then fills in the defaults.
void fill_defaults(Json& object, const SchemaNode& schema);

}  // namespace davit::sandbox
