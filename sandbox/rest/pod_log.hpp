/// GET pods/{name}/log: what the real server checks, and a text that says that nothing runs here.
#pragma once

#include "sandbox/kinds/api_error.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

[[nodiscard]] ApiResult<HttpServerResponse> get_pod_log(const RestParts& parts, const Call& call);

}  // namespace davit::sandbox
