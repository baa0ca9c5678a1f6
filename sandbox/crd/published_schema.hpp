/// The OpenAPI schema of a custom resource.
#pragma once

#include "lib/kube/json.hpp"

namespace davit::sandbox {

/// `schema`: the openAPIV3Schema of a version. Becomes an entry of components.schemas: with
/// apiVersion, kind and metadata, also in embedded resources, and with the types of values that are
/// integers or strings (k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder).
[[nodiscard]] Json published_schema(const Json& schema);

}  // namespace davit::sandbox
