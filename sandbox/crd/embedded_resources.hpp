/// The rules of resources that custom resources contain: x-kubernetes-embedded-resource.
#pragma once

#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_error.hpp"
#include "lib/kube/validation/schema_node.hpp"

namespace davit::sandbox {

/// Checks apiVersion, kind and metadata of each embedded resource. A custom resource itself is not
/// one. k8s: apiextensions-apiserver/pkg/apiserver/schema/objectmeta, Validate.
void check_embedded_resources(const Json& object, const SchemaNode& schema, FieldErrors& errors);

}  // namespace davit::sandbox
