/// POST pods/{name}/eviction: a DELETE that disruption budgets may refuse.
#pragma once

#include "sandbox/rest/api_error.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

[[nodiscard]] ApiResult<Response> post_eviction(const RestParts& parts, Call& call);

}  // namespace davit::sandbox
