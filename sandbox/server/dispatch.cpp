#include "sandbox/server/dispatch.hpp"

#include <algorithm>

#include "host/config/duration.hpp"
#include "sandbox/auth/reviews.hpp"
#include "sandbox/rest/binding.hpp"
#include "sandbox/rest/delete.hpp"
#include "sandbox/rest/list.hpp"
#include "sandbox/rest/verbs.hpp"
#include "sandbox/rest/watch.hpp"

namespace davit::sandbox {

namespace {

bool lists(const std::vector<std::string>& verbs, Verb verb) {
  return std::ranges::find(verbs, to_text(verb)) != verbs.end();
}

bool is_collection_verb(Verb verb) {
  return verb == Verb::kList || verb == Verb::kWatch || verb == Verb::kCreate ||
         verb == Verb::kDeleteCollection;
}

/// Finds what the URL names, and whether it takes the verb.
ApiResult<ResourcePtr> find_resource(const Serving& serving, const Call& call) {
  const Url& url = call.url;
  const std::shared_ptr<const ResourceSet> set = serving.rest.resources.now();
  ResourcePtr resource = set->find(url.group, url.version, url.resource);
  if (resource == nullptr) {
    if (set->serves(url.group, url.version)) return unknown_resource();
    return page_not_found();
  }
  const bool is_namespace = url.group.empty() && url.resource == "namespaces";
  if (!resource->namespaced && !url.ns.empty() && !is_namespace) return unknown_resource();
  if (resource->namespaced && url.ns.empty()) {
    if (!url.name.empty() && !url.watch_prefix) return unknown_resource();
    if (call.verb == Verb::kCreate || call.verb == Verb::kDeleteCollection) {
      return method_not_allowed();
    }
  }
  if (!url.subresource.empty()) {
    const Subresource* part = resource->subresource(url.subresource);
    if (part == nullptr || url.has_more) return unknown_resource();
    const std::string_view verb = to_text(call.verb);
    if (std::ranges::find(part->verbs, verb) == part->verbs.end()) return method_not_allowed();
    return resource;
  }
  const bool fits = is_collection_verb(call.verb) == url.name.empty() || url.watch_prefix;
  if (!fits || !lists(resource->verbs, call.verb)) return method_not_allowed();
  return resource;
}

AnswerShape shape_of(Verb verb) {
  switch (verb) {
    case Verb::kWatch:
      return AnswerShape::kWatch;
    case Verb::kList:
    case Verb::kDeleteCollection:
      return AnswerShape::kList;
    default:
      return AnswerShape::kObject;
  }
}

bool wants_pretty(const Call& call) {
  if (call.url.query.find("pretty")) return call.url.query.flag("pretty");
  return call.user_agent.starts_with("curl") || call.user_agent.starts_with("Wget") ||
         call.user_agent.starts_with("Mozilla/5.0");
}

/// Before anything happens, so that what cannot be answered has no effect.
ApiFailure agree_on_form(Call& call) {
  // Logs are text, whatever the client prefers.
  if (call.url.subresource == "log") return std::nullopt;
  const AnswerShape shape = shape_of(call.verb);
  const std::string kind = call.resource->kind + (shape == AnswerShape::kList ? "List" : "");
  ApiResult<OutputForm> form = negotiate(call.request.header("Accept"), shape, kind);
  if (!form) return form.error();
  call.form = *form;
  call.form.pretty = shape != AnswerShape::kWatch && wants_pretty(call);
  if (call.form.form == Form::kTable) {
    ApiResult<IncludeObject> include = parse_include_object(call.url.query.get("includeObject"));
    if (!include) return include.error();
    call.form.include = *include;
  }
  return std::nullopt;
}

/// Nothing here takes long enough to be cut off, but a timeout must be one.
ApiFailure check_timeout(const Call& call) {
  const std::string_view timeout = call.url.query.get("timeout");
  if (call.verb == Verb::kWatch || timeout.empty() || host::parse_duration(timeout)) {
    return std::nullopt;
  }
  return bad_request("invalid timeout specified in the request URL - time: invalid duration " +
                     to_text(Json(timeout)));
}

ApiResult<Response> serve_object(const Serving& serving, Call& call) {
  const RestParts& parts = serving.rest;
  switch (call.verb) {
    case Verb::kGet:
      return get_object(parts, call);
    case Verb::kList:
      return list_objects(parts, call);
    case Verb::kWatch:
      return watch_objects(parts, call);
    case Verb::kCreate:
      return post_object(parts, call);
    case Verb::kUpdate:
      return put_object(parts, call);
    case Verb::kPatch:
      return patch_object(parts, call);
    case Verb::kDelete:
      return delete_object(parts, call);
    case Verb::kDeleteCollection:
      return delete_collection(parts, call);
    case Verb::kOther:
      break;
  }
  return method_not_allowed();
}

}  // namespace

ApiResult<Response> serve_resource(const Serving& serving, Call& call) {
  ApiResult<ResourcePtr> resource = find_resource(serving, call);
  if (!resource) return resource.error();
  call.resource = std::move(*resource);
  if (ApiFailure failure = agree_on_form(call)) return *failure;
  if (ApiFailure failure = check_timeout(call)) return *failure;
  const std::string& part = call.url.subresource;
  if (!part.empty() && part != "status") return serve_subresource(serving, call);
  if (is_review(call.resource->group, call.resource->kind)) return serve_review(serving, call);
  if (call.resource->kind == "Binding") return post_binding(serving.rest, call);
  return serve_object(serving, call);
}

}  // namespace davit::sandbox
