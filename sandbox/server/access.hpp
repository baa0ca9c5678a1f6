/// Authenticates and authorizes a request before anything else about it is read.
#pragma once

#include "sandbox/auth/auth.hpp"
#include "sandbox/kinds/api_error.hpp"
#include "sandbox/rest/url.hpp"
#include "sandbox/server/api_server.hpp"

namespace davit::sandbox {

/// 401 or 403 when not. `options` name an authenticator and an authorizer.
[[nodiscard]] ApiResult<UserInfo> check_access(const ApiServerOptions& options,
                                               const HttpServerRequest& request, const Url& url,
                                               Verb verb);

}  // namespace davit::sandbox
