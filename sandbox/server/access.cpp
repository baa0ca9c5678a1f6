#include "sandbox/server/access.hpp"

#include <algorithm>

namespace davit::sandbox {

namespace {

AccessAttributes attributes_of(const HttpServerRequest& request, const Url& url, Verb verb) {
  AccessAttributes out;
  out.resource = url.is_resource;
  out.path = url.path;
  if (!url.is_resource) {
    out.verb = request.method;
    std::ranges::transform(out.verb, out.verb.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return out;
  }
  out.verb = to_text(verb);
  out.group = url.group;
  out.version = url.version;
  out.name_of_resource = url.resource;
  out.subresource = url.subresource;
  out.ns = url.ns;
  out.name = url.name.empty() ? url.selected_name : url.name;
  return out;
}

ApiError denied(const UserInfo& who, const AccessAttributes& what, const Access& access) {
  ApiError error = without_details(reason::kForbidden, forbidden_message(who, what, access.reason));
  error.details = StatusDetails();
  if (what.resource) {
    error.details->name = what.name;
    error.details->group = what.group;
    error.details->kind = what.name_of_resource;
  }
  return error;
}

ApiResult<UserInfo> acting_identity(const ApiServerOptions& options,
                                    const HttpServerRequest& request) {
  Result<UserInfo> who = options.authenticator->authenticate(request);
  if (!who) return unauthorized();
  Result<UserInfo> acting = impersonate(request, *who, *options.authorizer);
  if (acting) return std::move(*acting);
  if (acting.error().code() != Code::kForbidden) return bad_request(acting.error().message());
  ApiError error = without_details(reason::kForbidden, acting.error().message());
  error.details = StatusDetails();
  return error;
}

}  // namespace

ApiResult<UserInfo> check_access(const ApiServerOptions& options, const HttpServerRequest& request,
                                 const Url& url, Verb verb) {
  ApiResult<UserInfo> who = acting_identity(options, request);
  if (!who) return who;
  const AccessAttributes what = attributes_of(request, url, verb);
  const Access access = options.authorizer->authorize(*who, what);
  if (!access.allowed()) return denied(*who, what, access);
  return who;
}

}  // namespace davit::sandbox
