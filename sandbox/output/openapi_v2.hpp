/// OpenAPI v2, which kubectl before 1.27 validates, patches and explains by: as JSON, and in the
/// protobuf form that clients prefer (github.com/google/gnostic, openapiv2/OpenAPIv2.proto).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/kube/json.hpp"

namespace davit::sandbox {

/// The media type of a protobuf document. Kubernetes 1.27 put a dot where an `@` was: the `@`,
/// which clients still send in Accept, is not legal in a media type, and Go's parser refuses
/// responses that carry it.
inline constexpr std::string_view kOpenApiV2Type =
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// The forms in which the document is served.
enum class OpenApiV2Form : std::uint8_t { kJson, kProtobuf };

/// The form for a client with this Accept header; empty: 406.
[[nodiscard]] std::optional<OpenApiV2Form> negotiate_openapi_v2(std::string_view accept);

/// `paths` and `schemas` (components.schemas) are those of OpenAPI v3, all group versions in one
/// object each. Becomes the `swagger: "2.0"` document, with what v2 cannot say left out, as
/// k8s.io/apiextensions-apiserver does it: alternatives, defaults, and all constraints of values
/// that may be null or hold unknown members.
[[nodiscard]] Json openapi_v2_document(const Json& paths, const Json& schemas);

/// That document in its protobuf form.
[[nodiscard]] std::string openapi_v2_protobuf(const Json& document);

}  // namespace davit::sandbox
