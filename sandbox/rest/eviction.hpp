/// POST pods/{name}/eviction: a DELETE that disruption budgets may refuse.
#pragma once

#include "sandbox/kinds/api_error.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

[[nodiscard]] ApiResult<HttpServerResponse> post_eviction(const RestParts& parts, Call& call);

}  // namespace davit::sandbox
