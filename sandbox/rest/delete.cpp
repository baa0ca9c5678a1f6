#include "sandbox/rest/delete.hpp"

#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/rest/convert.hpp"
#include "sandbox/rest/decode.hpp"
#include "sandbox/rest/deletion_plan.hpp"
#include "sandbox/rest/list.hpp"
#include "sandbox/rest/response.hpp"
#include "sandbox/rest/write.hpp"

namespace davit::sandbox {

namespace {

using Step = DeletionPlan::Step;

constexpr int kAttemptsMax = 100;

/// These messages name the Kind in place of the resource.
ApiFailure check_preconditions(const Resource& resource, const DeleteOptions& options,
                               const Version& current) {
  const Subject subject = Subject::kind_of(resource, current.name);
  if (!options.uid.empty() && options.uid != current.uid) {
    return conflict(subject, "the UID in the precondition (" + options.uid +
                                 ") does not match the UID in record (" + current.uid +
                                 "). The object might have been deleted and then recreated");
  }
  const std::string revision = std::to_string(current.revision);
  if (!options.revision.empty() && options.revision != revision) {
    return conflict(subject, "the ResourceVersion in the precondition (" + options.revision +
                                 ") does not match the ResourceVersion in record (" + revision +
                                 "). The object might have been modified");
  }
  return std::nullopt;
}

/// Removes `current`. No value: another writer was faster.
ApiResult<std::optional<Deleted>> remove(const RestParts& parts, const Resource& resource,
                                         const Version& current, Json last) {
  std::optional<ApiResult<VersionPtr>> removed = remove_version(parts, resource, current, last);
  if (!removed) return std::optional<Deleted>();
  if (!*removed) return removed->error();
  if (conversion_hook(resource) == nullptr) {
    return std::optional(Deleted{load(***removed, resource), true});
  }
  // Converted before: it is gone, so no webhook can refuse to show it.
  last["metadata"].set("resourceVersion", std::to_string((**removed)->revision));
  return std::optional(Deleted{std::move(last), true});
}

/// An object that is still there.
ApiResult<std::optional<Deleted>> not_removed(const RestParts& parts, const Version& version,
                                              const Resource& resource) {
  ApiResult<Json> object = load(parts, version, resource);
  if (!object) return object.error();
  return std::optional(Deleted{std::move(*object), false});
}

/// Carries out a plan. No value: another writer was faster; `marked` is then what a plan of two
/// steps has stored before.
ApiResult<std::optional<Deleted>> carry_out(const RestParts& parts, const Resource& resource,
                                            const VersionPtr& current, DeletionPlan plan,
                                            DryRun dry_run, VersionPtr& marked) {
  if (plan.step == Step::kNothing) return not_removed(parts, *current, resource);
  if (dry_run == DryRun::kYes) {
    return std::optional(Deleted{std::move(plan.object), plan.step != Step::kStore});
  }
  if (plan.step == Step::kRemove) return remove(parts, resource, *current, std::move(plan.object));
  ApiResult<Draft> draft = make_draft(parts, plan.object, resource);
  if (!draft) return draft.error();
  Result<VersionPtr> stored =
      parts.store.update(resource.collection, std::move(*draft), current->revision);
  if (!stored) {
    const Code code = stored.error().code();
    if (code == Code::kConflict || code == Code::kNotFound) return std::optional<Deleted>();
    return store_error(stored.error());
  }
  parts.observer.stored(resource, *stored);
  if (plan.step == Step::kStoreThenRemove) {
    marked = *stored;
    return remove(parts, resource, **stored, load(**stored, resource));
  }
  return not_removed(parts, **stored, resource);
}

Json removed_status(const Resource& resource, const Json& object) {
  StatusDetails details;
  details.name = object.text_at({"metadata", "name"});
  details.group = resource.group;
  details.kind = resource.name;
  details.uid = object.text_at({"metadata", "uid"});
  return success_status(details);
}

}  // namespace

ApiResult<Deleted> delete_one(const RestParts& parts, const Resource& resource,
                              const std::string& ns, const std::string& name,
                              const DeleteOptions& options, const WriteJudge& judge) {
  if (ApiFailure failure = parts.admission.admit_delete(resource, ns, name)) return *failure;
  VersionPtr marked;
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    const VersionPtr current = parts.store.get(resource.collection, ns, name);
    if (marked != nullptr && (current == nullptr || current->uid != marked->uid)) {
      // The pod's node saw the mark and was faster (k8s: ignoreNotFound in Store.Delete).
      return Deleted{load(*marked, resource), true};
    }
    if (current == nullptr) return not_found(Subject::resource(resource, name));
    if (marked == nullptr) {  // Else they held, and the mark is a version of our own.
      if (ApiFailure failure = check_preconditions(resource, options, *current)) return *failure;
    }
    const ApiResult<Json> loaded = load(parts, *current, resource);
    if (!loaded) return loaded.error();
    const Json& old = *loaded;
    DeletionPlan plan = plan_deletion(resource, old, options, parts.clock.wall_now());
    if (judge != nullptr && marked == nullptr && plan.step != Step::kNothing) {
      if (ApiFailure failure = judge({.operation = JudgedWrite::Operation::kDelete,
                                      .resource = resource,
                                      .subresource = "",
                                      .ns = ns,
                                      .name = name,
                                      .old = &old,
                                      .dry_run = options.dry_run == DryRun::kYes})) {
        return *failure;
      }
    }
    ApiResult<std::optional<Deleted>> deleted =
        carry_out(parts, resource, current, std::move(plan), options.dry_run, marked);
    if (!deleted) return deleted.error();
    if (*deleted) return std::move(**deleted);
  }
  return stale(Subject::resource(resource, name));
}

ApiResult<DeleteOptions> read_delete_options(const Call& call) {
  if (call.request.body.empty() && !call.request.body_too_large) {
    return parse_delete_query(call.url.query);
  }
  BodyType type = BodyType::of_kind("", "v1", "DeleteOptions");
  const std::string media = media_type(call.request.header("Content-Type"));
  if (media == "application/vnd.kubernetes.protobuf") {
    Result<Json> body = decode_protobuf(call.request.body, "DeleteOptions");
    if (!body) return bad_request(body.error().message());
    return parse_delete_options(*body);
  }
  if (call.request.body_too_large || call.request.body.size() > kBodyBytesMax) {
    return body_too_large(kBodyBytesMax);
  }
  Result<Json> body = parse_text(call.request.body, media, nullptr);
  if (!body || !body->is_object()) {
    return bad_request("couldn't get version/kind; json parse error: " +
                       (body ? std::string("not an object") : body.error().message()));
  }
  const std::string& kind = body->get("kind").text();
  if (!kind.empty() && kind != type.kind) {
    return bad_request("no kind \"" + kind + "\" is registered for version \"" +
                       body->get("apiVersion").text() +
                       "\" in scheme \"k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30\"");
  }
  return parse_delete_options(*body);
}

ApiResult<HttpServerResponse> delete_object(const RestParts& parts, const Call& call) {
  const ApiResult<DeleteOptions> options = read_delete_options(call);
  if (!options) return options.error();
  const Resource& resource = *call.resource;
  const std::string ns = call.ns();
  const ApiResult<Deleted> deleted =
      delete_one(parts, resource, ns, call.url.name, *options, call.judge);
  if (!deleted) return deleted.error();
  if (deleted->removed && !resource.delete_returns_object) {
    return object_response(parts, call, 200, removed_status(resource, deleted->object));
  }
  const bool waits = !deleted->removed && options->keeps_dependents_away;
  return object_response(parts, call, waits ? 202 : 200, deleted->object);
}

ApiResult<HttpServerResponse> delete_collection(const RestParts& parts, const Call& call) {
  const ApiResult<DeleteOptions> options = read_delete_options(call);
  if (!options) return options.error();
  const ApiResult<ListOptions> list = parse_list_options(call.url.query, ListKind::kList);
  if (!list) return list.error();
  ApiResult<Page> page = find_page(parts, call, *list);
  if (!page) return page.error();
  WriteJudge judge;
  if (call.judge != nullptr) {
    judge = [&call](JudgedWrite write) {
      write.name = "";
      return call.judge(write);
    };
  }
  for (const VersionPtr& each : page->objects) {
    ApiResult<Deleted> deleted =
        delete_one(parts, *call.resource, each->ns, each->name, *options, judge);
    if (!deleted && deleted.error().code != 404) return deleted.error();
  }
  return list_response(parts, call, *std::move(page));
}

}  // namespace davit::sandbox
