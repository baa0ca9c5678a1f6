/// Subresources that replace one part of an object: namespaces/finalize, pods/ephemeralcontainers,
/// pods/resize, certificatesigningrequests/approval.
#pragma once

#include "sandbox/kinds/api_error.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// Whether `subresource` of the call is one of them.
[[nodiscard]] bool is_object_part(std::string_view subresource);
/// PUT and PATCH; GET is that of the object.
[[nodiscard]] ApiResult<HttpServerResponse> write_object_part(const RestParts& parts, Call& call);

}  // namespace davit::sandbox
