/// Maps a URL to the verb that serves it.
#pragma once

#include "sandbox/auth/auth.hpp"
#include "sandbox/kinds/api_error.hpp"
#include "sandbox/policy/mutating_policies.hpp"
#include "sandbox/policy/policies.hpp"
#include "sandbox/rest/rest_parts.hpp"
#include "sandbox/server/api_server.hpp"
#include "sandbox/server/documents.hpp"
#include "sandbox/server/request_metrics.hpp"
#include "sandbox/webhook/webhooks.hpp"

namespace davit::sandbox {

/// Borrowed for the call.
struct Serving {
  const RestParts& rest;
  const ApiServerOptions& options;
  const UserInfo& who;
  Documents& documents;
  Policies& policies;
  MutatingPolicies& mutations;
  Webhooks& webhooks;
  /// False without an authenticator: then `who` is the same for all, and a request for a
  /// certificate names its requester itself.
  bool knows_requesters = false;
  const RequestMetrics& metrics;
  /// Set instead of calling a webhook; null: the thread may wait for webhooks.
  bool* hook_wanted = nullptr;
};

/// A request below a group version. `call` gets its resource and form.
[[nodiscard]] ApiResult<HttpServerResponse> serve_resource(const Serving& serving, Call& call);

/// A subresource other than status.
[[nodiscard]] ApiResult<HttpServerResponse> serve_subresource(const Serving& serving, Call& call);
/// Serves POST of a review kind, which is not stored.
[[nodiscard]] ApiResult<HttpServerResponse> serve_review(const Serving& serving, Call& call);

/// Everything else: /version, health, discovery, OpenAPI.
[[nodiscard]] ApiResult<HttpServerResponse> serve_path(const Serving& serving,
                                                       const HttpServerRequest& request,
                                                       const Url& url);

}  // namespace davit::sandbox
