#include "sandbox/server/dispatch.hpp"

#include <algorithm>
#include <array>
#include <davit/kube/signed_duration.hpp>

#include "sandbox/auth/escalation.hpp"
#include "sandbox/auth/reviews.hpp"
#include "sandbox/auth/signers.hpp"
#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/metrics/metrics_api.hpp"
#include "sandbox/policy/parameter_rights.hpp"
#include "sandbox/rest/binding.hpp"
#include "sandbox/rest/delete.hpp"
#include "sandbox/rest/list.hpp"
#include "sandbox/rest/meta.hpp"
#include "sandbox/rest/verbs.hpp"
#include "sandbox/rest/watch.hpp"
#include "sandbox/server/acceptance.hpp"

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
    // The path after "proxy" belongs to the program that listens there.
    const bool too_long = url.has_more && url.subresource != "proxy";
    if (part == nullptr && resource->custom && !url.has_more) {
      return not_found(Subject::resource(*resource, url.name));
    }
    if (part == nullptr || too_long) return unknown_resource();
    const std::string_view verb = to_text(call.verb);
    if (std::ranges::find(part->verbs, verb) == part->verbs.end()) return method_not_allowed();
    return resource;
  }
  const bool fits = is_collection_verb(call.verb) == url.name.empty() || url.watch_prefix;
  if (!fits || !lists(resource->verbs, call.verb)) return method_not_allowed();
  return resource;
}

ResponseShape shape_of(Verb verb) {
  switch (verb) {
    case Verb::kWatch:
      return ResponseShape::kWatch;
    case Verb::kList:
    case Verb::kDeleteCollection:
      return ResponseShape::kList;
    default:
      return ResponseShape::kObject;
  }
}

bool wants_pretty(const Call& call) {
  if (call.url.query.find("pretty")) return call.url.query.flag("pretty");
  return call.user_agent.starts_with("curl") || call.user_agent.starts_with("Wget") ||
         call.user_agent.starts_with("Mozilla/5.0");
}

/// The route of a list is that of its watch as well.
constexpr std::array<std::string_view, 5> kListTypes = {
    "application/json", "application/yaml", "application/vnd.kubernetes.protobuf",
    "application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"};
constexpr std::array<std::string_view, 4> kLogTypes = {
    "text/plain", "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"};

/// The router's view of the client's types.
ApiFailure check_types(const Call& call, std::string_view accept) {
  // Custom resources are served before the router.
  if (call.resource->custom) return std::nullopt;
  const bool lists = call.verb == Verb::kList || call.verb == Verb::kWatch;
  return lists ? check_route(accept, kListTypes) : check_route(accept, kObjectTypes);
}

bool is_never_stored(const Call& call) {
  constexpr std::array<std::string_view, 3> kSubresources = {"binding", "eviction", "token"};
  return std::ranges::find(kSubresources, call.url.subresource) != kSubresources.end() ||
         std::ranges::find(call.resource->verbs, "get") == call.resource->verbs.end();
}

/// Runs before anything happens, so that a request without an acceptable form has no effect.
ApiFailure agree_on_form(Call& call) {
  const std::string_view accept = call.request.header("Accept");
  if (call.url.subresource == "log") {
    // Logs are text, whatever the client prefers, but what is wrong with them is an object.
    if (ApiFailure failure = check_route(accept, kLogTypes)) return failure;
    return check_document(accept);
  }
  if (ApiFailure failure = check_types(call, accept)) return failure;
  const ResponseShape shape = shape_of(call.verb);
  const std::string kind = call.resource->kind + (shape == ResponseShape::kList ? "List" : "");
  // Only the Scale of a custom resource is a kind of ours, and the original has that in JSON alone.
  const HasProtobuf protobuf = call.resource->custom ? HasProtobuf::kNo : HasProtobuf::kYes;
  const HasTable table = is_never_stored(call) ? HasTable::kNo : HasTable::kYes;
  ApiResult<OutputForm> form = negotiate(accept, shape, kind, protobuf, table);
  if (!form) return form.error();
  call.form = *form;
  call.form.pretty = shape != ResponseShape::kWatch && wants_pretty(call);
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
  if (call.verb == Verb::kWatch || timeout.empty() || parse_signed_duration(timeout)) {
    return std::nullopt;
  }
  return bad_request("invalid timeout specified in the request URL - time: invalid duration " +
                     to_text(Json(timeout)));
}

bool is_signing_request(const Resource& resource) {
  return resource.group == "certificates.k8s.io" && resource.name == "certificatesigningrequests";
}

/// Signers are used by those who hold the right. `serving` and `call` must outlive it.
WritePermit signer_permit(const Serving& serving, const Call& call) {
  return [&serving, &call](const Json& next, const Json& old) -> ApiFailure {
    const std::string why =
        signer_refusal({serving.who, call.url.subresource, next, old}, *serving.options.authorizer);
    if (why.empty()) return std::nullopt;
    return forbidden(Subject::resource(*call.resource, next.text_at({"metadata", "name"})), why);
  };
}

/// Policies and bindings use no parameters that their writer may not read. `serving` and `call`
/// must outlive it.
WritePermit parameter_permit(const Serving& serving, const Call& call) {
  return [&serving, &call](const Json& next, const Json& old) -> ApiFailure {
    const RestParts& parts = serving.rest;
    return check_parameter_rights({*call.resource, serving.who, next, old},
                                  *serving.options.authorizer, parts.store, *parts.resources.now());
  };
}

/// A request has its requester, and conditions have times. `serving` must outlive it.
WriteStamp stamp_of(const Serving& serving, const Call& call) {
  if (!is_signing_request(*call.resource)) return nullptr;
  return [&serving](Json& next, const Json& old) {
    if (old.is_null() && serving.knows_requesters) stamp_requester(next, serving.who);
    if (!old.is_null()) stamp_conditions(next, old, time_text(serving.rest.clock));
  };
}

/// Roles and bindings grant no more than their writer holds. `serving` and `call` must outlive it.
WritePermit permit_of(const Serving& serving, const Call& call) {
  if (is_signing_request(*call.resource)) return signer_permit(serving, call);
  if (has_parameters(*call.resource)) return parameter_permit(serving, call);
  if (!grants_rights(call.resource->group, call.resource->name)) return nullptr;
  return [&serving, &call](const Json& next, const Json& old) -> ApiFailure {
    const Resource& resource = *call.resource;
    const std::optional<GrantRefusal> refusal =
        check_grant({serving.who, resource.name, call.url.ns, call.url.name, next, old},
                    *serving.options.authorizer);
    if (!refusal) return std::nullopt;
    // The original, too, looks for the role under the binding's own resource.
    if (!refusal->missing_role.empty()) {
      return not_found(Subject::resource(resource, refusal->missing_role));
    }
    return forbidden(Subject::resource(resource, next.text_at({"metadata", "name"})), refusal->why);
  };
}

/// Refuses a write whose thread would have to wait for a webhook, whatever policies make of that.
ApiFailure wait_refusal(const Serving& serving) {
  if (serving.hook_wanted == nullptr || !*serving.hook_wanted) return std::nullopt;
  return too_many_requests("the request waits for webhooks", {}, 1);
}

/// Admission policies and webhooks judge what is written. `serving` and `call` must outlive it.
WriteJudge judge_of(const Serving& serving, Call& call) {
  if (serving.options.admission_switch == AdmissionSwitch::kOff) return nullptr;
  return [&serving, &call](const JudgedWrite& write) -> ApiFailure {
    const PolicyContext context{serving.rest,  call,
                                serving.who,   *serving.options.authorizer,
                                call.warnings, serving.hook_wanted};
    if (write.operation == JudgedWrite::Operation::kDelete) {
      // There is no object to change, but mutating webhooks are asked, too.
      Reinvocation round;
      if (ApiFailure failure = serving.webhooks.mutate(write, nullptr, context, round)) {
        return failure;
      }
    }
    if (ApiFailure failure = serving.policies.judge(write, context)) return failure;
    if (ApiFailure later = wait_refusal(serving)) return later;
    return serving.webhooks.judge(write, context);
  };
}

/// Mutating policies and webhooks change what is written, in up to two passes. `serving` and `call`
/// must outlive it.
WriteMutate mutate_of(const Serving& serving, Call& call) {
  if (serving.options.admission_switch == AdmissionSwitch::kOff) return nullptr;
  return [&serving, &call](const JudgedWrite& write, Json& object,
                           const Readmit& again) -> ApiFailure {
    const PolicyContext context{serving.rest,  call,
                                serving.who,   *serving.options.authorizer,
                                call.warnings, serving.hook_wanted};
    Reinvocation policies;
    Reinvocation hooks;
    const auto pass = [&]() -> ApiFailure {
      if (ApiFailure failure = serving.mutations.mutate(write, object, context, policies)) {
        return failure;
      }
      if (ApiFailure later = wait_refusal(serving)) return later;
      return serving.webhooks.mutate(write, &object, context, hooks);
    };
    if (ApiFailure failure = pass()) return failure;
    if (!policies.wanted() && !hooks.wanted()) return std::nullopt;
    if (again) {
      if (ApiFailure failure = again(object)) return failure;
    }
    policies.repeat();
    hooks.repeat();
    return pass();
  };
}

ApiResult<HttpServerResponse> serve_object(const Serving& serving, Call& call) {
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

/// Every response about a deprecated kind has the warning.
void warn_of_deprecation(Call& call) {
  if (!call.resource->group.empty()) return;
  if (call.resource->name == "componentstatuses") {
    call.warnings.emplace_back("v1 ComponentStatus is deprecated in v1.19+");
  }
  if (call.resource->name != "endpoints") return;
  call.warnings.emplace_back(
      "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice");
}

/// A new object of a kind that nothing acts on looks as if something were broken.
void warn_without_controller(const Serving& serving, Call& call,
                             const HttpServerResponse& response) {
  constexpr int kCreated = 201;
  const Resource& resource = *call.resource;
  const std::vector<std::string>& kinds = serving.options.without_controller;
  if (response.status != kCreated ||
      std::ranges::find(kinds, resource.qualified_name()) == kinds.end()) {
    return;
  }
  call.warnings.push_back("this sandbox has no controller for " + resource.kind +
                          "s: nothing happens to them unless you run one");
}

/// A webhook that is never called looks as if something were broken, too.
void warn_of_idle_webhooks(const Serving& serving, Call& call) {
  if (serving.options.webhooks != nullptr ||
      call.resource->group != "admissionregistration.k8s.io" ||
      !call.resource->name.ends_with("webhookconfigurations")) {
    return;
  }
  if (call.verb == Verb::kCreate || call.verb == Verb::kUpdate || call.verb == Verb::kPatch) {
    call.warnings.emplace_back("webhooks are stored and not called by this server");
  }
}

}  // namespace

ApiResult<HttpServerResponse> serve_resource(const Serving& serving, Call& call) {
  MetricBoard* const metrics = serving.options.metrics;
  if (metrics != nullptr && metrics->options().serves(call.url.group)) {
    return serve_metrics({serving.rest, *metrics}, call);
  }
  ApiResult<ResourcePtr> resource = find_resource(serving, call);
  if (!resource) return resource.error();
  call.resource = std::move(*resource);
  // Nothing may be written before it is known that the response can be converted on this thread.
  if (serving.hook_wanted != nullptr && call.verb != Verb::kWatch &&
      conversion_hook(*call.resource) != nullptr) {
    *serving.hook_wanted = true;
    return *wait_refusal(serving);
  }
  warn_of_deprecation(call);
  if (ApiFailure failure = agree_on_form(call)) return *failure;
  if (ApiFailure failure = check_timeout(call)) return *failure;
  call.permit = permit_of(serving, call);
  call.stamp = stamp_of(serving, call);
  call.judge = judge_of(serving, call);
  call.mutate = mutate_of(serving, call);
  const std::string& part = call.url.subresource;
  if (!part.empty() && part != "status") return serve_subresource(serving, call);
  if (is_review(call.resource->group, call.resource->kind)) return serve_review(serving, call);
  if (call.resource->kind == "Binding") return post_binding(serving.rest, call);
  ApiResult<HttpServerResponse> response = serve_object(serving, call);
  if (response) {
    warn_without_controller(serving, call, *response);
    warn_of_idle_webhooks(serving, call);
  }
  return response;
}

}  // namespace davit::sandbox
