/// WATCH: a body that follows the store's history.
#pragma once

#include "sandbox/kinds/api_error.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

[[nodiscard]] ApiResult<HttpServerResponse> watch_objects(const RestParts& parts, const Call& call);

}  // namespace davit::sandbox
