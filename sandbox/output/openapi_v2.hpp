/// OpenAPI v2 in the protobuf form that kubectl before 1.27 asks for: it validates, patches and
/// explains by it (github.com/google/gnostic, openapiv2/OpenAPIv2.proto).
#pragma once

#include <string>
#include <string_view>

#include "sandbox/json/json.hpp"

namespace davit::sandbox {

/// The media type of the document below, as clients send it in Accept.
inline constexpr std::string_view kOpenApiV2Type =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/// A whole document whose definitions are `schemas`: components.schemas of OpenAPI v3, all group
/// versions in one object.
[[nodiscard]] std::string openapi_v2_document(const Json& schemas, std::string_view version);

}  // namespace davit::sandbox
