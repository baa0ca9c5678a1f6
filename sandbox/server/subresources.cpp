// Maps each subresource to its handler.
#include "sandbox/auth/reviews.hpp"
#include "sandbox/metrics/consumer.hpp"
#include "sandbox/rest/binding.hpp"
#include "sandbox/rest/decode.hpp"
#include "sandbox/rest/eviction.hpp"
#include "sandbox/rest/list.hpp"
#include "sandbox/rest/object_parts.hpp"
#include "sandbox/rest/pod_log.hpp"
#include "sandbox/rest/response.hpp"
#include "sandbox/rest/scale.hpp"
#include "sandbox/server/connect.hpp"
#include "sandbox/server/dispatch.hpp"

namespace davit::sandbox {

namespace {

/// The response of a review, as a Status where it is a refusal.
ApiResult<HttpServerResponse> from_review(const Serving& serving, const Call& call,
                                          const BodyType& type, ReviewResponse review) {
  const std::string& name = review.body.text_at({"metadata", "name"});
  if (!review.invalid.empty()) {
    return invalid({type.group, type.kind, name}, std::move(review.invalid));
  }
  if (review.status.ok()) return object_response(serving.rest, call, 201, review.body);
  if (review.status.code() == Code::kNotFound) {
    ApiError error = not_found({});
    error.message = review.status.message();
    return error;
  }
  return bad_request(review.status.message());
}

ReviewParts review_parts(const Serving& serving) {
  const ApiServerOptions& options = serving.options;
  return {*options.authenticator, *options.authorizer, *options.tokens, serving.rest.store,
          serving.rest.clock};
}

ApiResult<HttpServerResponse> post_token(const Serving& serving, Call& call) {
  const ApiResult<WriteOptions> options = parse_write_options(call.url.query, WriteKind::kCreate);
  if (!options) return options.error();
  const BodyType type = BodyType::of_kind("authentication.k8s.io", "v1", "TokenRequest");
  ApiResult<Decoded> decoded = decode_body(call.request, type, options->validation);
  if (!decoded) return decoded.error();
  const std::string ns = call.ns();
  if (ApiFailure failure =
          admit_part(*call.resource, call.url.name, options->dry_run, decoded->object, call)) {
    return *failure;
  }
  return from_review(
      serving, call, type,
      token_request_response(std::move(decoded->object), ns, call.url.name, review_parts(serving)));
}

}  // namespace

ApiResult<HttpServerResponse> serve_review(const Serving& serving, Call& call) {
  const ApiResult<WriteOptions> options = parse_write_options(call.url.query, WriteKind::kCreate);
  if (!options) return options.error();
  const BodyType type = BodyType::of(*call.resource);
  ApiResult<Decoded> decoded = decode_body(call.request, type, options->validation);
  if (!decoded) return decoded.error();
  call.warnings = std::move(decoded->warnings);
  const std::string ns = call.ns();
  return from_review(
      serving, call, type,
      review_response(std::move(decoded->object), serving.who, ns, review_parts(serving)));
}

ApiResult<HttpServerResponse> serve_subresource(const Serving& serving, Call& call) {
  const RestParts& parts = serving.rest;
  const std::string& part = call.url.subresource;
  if (part == "scale") {
    return call.verb == Verb::kGet ? get_scale(parts, call) : write_scale(parts, call);
  }
  if (is_object_part(part)) {
    return call.verb == Verb::kGet ? get_object(parts, call) : write_object_part(parts, call);
  }
  if (part == "binding") return post_binding(parts, call);
  if (part == "eviction") return post_eviction(parts, call);
  if (part == "log") return get_pod_log(parts, call);
  if (part == "token") return post_token(serving, call);
  if (is_connection(part)) {
    if (ApiFailure failure = admit_connection(call)) return *failure;
  }
  if (part == "proxy" && call.resource->namespaced && serving.options.metrics != nullptr) {
    return serve_consumer({parts, *serving.options.metrics}, call);
  }
  return bad_request("the sandbox runs no containers: " + part + " is not provided");
}

}  // namespace davit::sandbox
