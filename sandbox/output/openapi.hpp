/// OpenAPI v3 as far as kubectl needs it: one document for each group version.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/kube/json.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// info.version of all documents: what the server is compatible with.
inline constexpr std::string_view kOpenApiInfoVersion = "1.36";

/// The document of one group version ("v1", "apps/v1"): a path with a PATCH for each kind, which is
/// how kubectl finds out that the server validates fields, and `schemas` as components.schemas
/// (openapi_schemas() for built-in kinds). Custom kinds get the schema of their definition, others
/// that `schemas` does not describe one that allows everything. PATCH lists no body: kubectl takes
/// merge keys from its own types then.
[[nodiscard]] Json openapi_document(std::span<const ResourcePtr> resources,
                                    std::string_view api_version, Json schemas);

/// GET /openapi/v3 from pairs of api_version and content_hash() of the document's body.
[[nodiscard]] Json openapi_index(std::span<const std::pair<std::string, std::string>> documents);

/// "api/v1" or "apis/apps/v1": the document's name in the index and its path below /openapi/v3/.
[[nodiscard]] std::string openapi_path(std::string_view api_version);

/// The api_versions that `resources` have, in their order.
[[nodiscard]] std::vector<std::string> api_versions_of(std::span<const ResourcePtr> resources);

}  // namespace davit::sandbox
