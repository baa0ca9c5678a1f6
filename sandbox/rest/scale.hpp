/// The /scale subresource: autoscaling/v1 Scale as a view of an object's replicas.
#pragma once

#include "sandbox/kinds/api_error.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

[[nodiscard]] ApiResult<HttpServerResponse> get_scale(const RestParts& parts, Call& call);
/// PUT and PATCH.
[[nodiscard]] ApiResult<HttpServerResponse> write_scale(const RestParts& parts, Call& call);

}  // namespace davit::sandbox
