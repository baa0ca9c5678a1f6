/// A pod gets its node: POST pods/{name}/binding and POST bindings.
#pragma once

#include "sandbox/kinds/api_error.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

[[nodiscard]] ApiResult<HttpServerResponse> post_binding(const RestParts& parts, Call& call);

/// Sets the condition of `type` in status.conditions; its lastTransitionTime changes with its
/// status only.
void set_condition(Json& object, Json condition, std::string_view now);

}  // namespace davit::sandbox
