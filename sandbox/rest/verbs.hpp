/// POST, PUT and PATCH of objects and of their status.
#pragma once

#include "sandbox/kinds/api_error.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

[[nodiscard]] ApiResult<HttpServerResponse> post_object(const RestParts& parts, Call& call);
[[nodiscard]] ApiResult<HttpServerResponse> put_object(const RestParts& parts, Call& call);
[[nodiscard]] ApiResult<HttpServerResponse> patch_object(const RestParts& parts, Call& call);

/// 400 when a body names another object than the URL, or none.
[[nodiscard]] ApiFailure check_name(const Json& object, const std::string& name);
/// 409 when a body has another uid than what is stored.
[[nodiscard]] ApiFailure check_uid(const Json& object, const Json& old, const Resource& resource);

}  // namespace davit::sandbox
