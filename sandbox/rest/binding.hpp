/// A pod gets its node: POST pods/{name}/binding and POST bindings.
#pragma once

#include "sandbox/rest/api_error.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

[[nodiscard]] ApiResult<Response> post_binding(const RestParts& parts, Call& call);

/// Sets the condition of `type` in status.conditions; its lastTransitionTime changes with its
/// status only.
void set_condition(Json& object, Json condition, std::string_view now);

}  // namespace davit::sandbox
