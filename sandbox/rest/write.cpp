#include "sandbox/rest/write.hpp"

#include <algorithm>
#include <iterator>

#include "lib/kube/patch/apply.hpp"
#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/kinds/server_times.hpp"
#include "sandbox/rest/address_objects.hpp"
#include "sandbox/rest/convert.hpp"
#include "sandbox/rest/delete.hpp"
#include "sandbox/rest/meta.hpp"
#include "sandbox/rest/quota_charge.hpp"

namespace davit::sandbox {

namespace {

/// Races that one request may lose before it gives up; more mean that clients fight.
constexpr int kAttemptsMax = 100;
/// Names that generateName tries.
constexpr int kNamesMax = 8;

WriteRequest admission_request(const WriteTarget& target, WriteVerb verb, const Json* old) {
  return {.resource = target.resource,
          .verb = verb,
          .ns = target.ns,
          .name = target.name,
          .subresource = target.subresource,
          .old = old,
          .dry_run = target.dry_run};
}

/// The warnings of a kind come with an object that its rules accept only.
void add_warnings(const Resource& resource, const Json& object, std::vector<std::string>& out) {
  if (resource.custom) {
    std::ranges::move(finalizer_warnings(object, Json()), std::back_inserter(out));
  }
  if (resource.rules == nullptr) return;
  for (std::string& each : resource.rules->warnings(object)) out.push_back(std::move(each));
}

/// The name is warned of when the object is new, a template only when a spec changes, a format of a
/// definition when it comes, and a pod never again. k8s: the WarningsOnUpdate of the strategies.
void add_update_warnings(const WriteTarget& target, const Json& next, const Json& old,
                         std::vector<std::string>& out) {
  const Resource& resource = target.resource;
  const bool is_pod = resource.group.empty() && resource.name == "pods";
  if (!target.subresource.empty() || is_pod) return;
  if (resource.custom) {
    std::ranges::move(finalizer_warnings(next, old), std::back_inserter(out));
    return;
  }
  if (resource.has_generation &&
      next.get("metadata").get("generation") == old.get("metadata").get("generation")) {
    return;
  }
  std::vector<std::string> added;
  add_warnings(resource, next, added);
  std::vector<std::string> known;
  if (resource.name == "customresourcedefinitions") add_warnings(resource, old, known);
  std::erase_if(added, [&](const std::string& each) {
    return each.starts_with("metadata.name: ") || std::ranges::find(known, each) != known.end();
  });
  std::ranges::move(added, std::back_inserter(out));
}

/// Lets webhooks change the object as it is before the rules of its kind see it. `old`: null for a
/// new one.
ApiFailure mutate(const RestParts& parts, const WriteTarget& target, Json& object,
                  const Json* old) {
  // A subresource with a kind of its own is not the object that is written.
  if (target.mutate == nullptr || target.view != nullptr) return std::nullopt;
  using Operation = JudgedWrite::Operation;
  const std::string name = object.text_at({"metadata", "name"});
  const JudgedWrite write{.operation = old == nullptr ? Operation::kCreate : Operation::kUpdate,
                          .resource = target.resource,
                          .subresource = target.subresource,
                          .ns = target.ns,
                          .name = name,
                          .object = &object,
                          .old = old,
                          .dry_run = target.dry_run == DryRun::kYes};
  const WriteVerb verb = old == nullptr ? WriteVerb::kCreate : WriteVerb::kUpdate;
  const auto again = [&](Json& changed) -> ApiFailure {
    if (target.rules != RuleSet::kAll) return std::nullopt;
    return parts.admission.admit(admission_request(target, verb, old), changed);
  };
  if (ApiFailure failure = target.mutate(write, object, again)) return failure;
  // A webhook may have changed what it may not.
  if (old != nullptr) keep_system_metadata(object, *old);
  return fill_namespace(object, target.ns);
}

/// Nothing is created once its definition is being deleted, which would not see it.
/// k8s: forbidCreateAdmission of apiextensions-apiserver/pkg/apiserver.
ApiFailure check_definition(const RestParts& parts, const WriteTarget& target,
                            const std::string& name) {
  const Resource& resource = target.resource;
  if (!resource.custom) return std::nullopt;
  const ResourcePtr now =
      parts.resources.now()->find(resource.group, resource.version, resource.name);
  if (now == nullptr) return unknown_resource();
  if (!is_terminating(*now)) return std::nullopt;
  return forbidden(Subject::resource(resource, name),
                   "create not allowed while custom resource definition is terminating");
}

/// Before the name is known: defaulting and admission.
ApiFailure admit_new(const RestParts& parts, const WriteTarget& target, Json& object) {
  const Resource& resource = target.resource;
  const std::string given_name = object.text_at({"metadata", "name"});
  if (ApiFailure failure = check_definition(parts, target, given_name)) return failure;
  if (ApiFailure failure = fill_namespace(object, target.ns)) return failure;
  if (resource.rules != nullptr) {
    resource.rules->set_defaults(object);
    set_times(resource, object, nullptr, time_text(parts.clock));
  }
  if (ApiFailure failure =
          parts.admission.admit(admission_request(target, WriteVerb::kCreate, nullptr), object)) {
    return failure;
  }
  if (ApiFailure failure = mutate(parts, target, object, nullptr)) return failure;
  return target.permit == nullptr ? std::nullopt : target.permit(object, Json());
}

/// Once the name is known, since a Job's selector is made of it: what the system sets.
void prepare_new(const RestParts& parts, const WriteTarget& target, Json& object) {
  const Resource& resource = target.resource;
  stamp_new(object, resource, parts.clock, parts.random);
  if (resource.rules != nullptr) {
    resource.rules->prepare_create(object);
  } else if (resource.has_status && !resource.keeps_status_on_create) {
    object.erase("status");
  }
  if (target.stamp != nullptr) target.stamp(object, Json());
}

ApiFailure check_new(const WriteTarget& target, const Json& object) {
  const Resource& resource = target.resource;
  const std::string& name = object.text_at({"metadata", "name"});
  FieldErrors errors;
  if (resource.rules != nullptr) {
    errors = resource.rules->validate_create(object);
  } else if (name.empty()) {
    errors = {field_required("metadata.name", "name or generateName is required")};
  }
  if (!errors.empty()) return invalid(Subject::kind_of(resource, name), std::move(errors));
  // The storage returns this error, which a dry run does not reach.
  const std::string& revision = object.text_at({"metadata", "resourceVersion"});
  if (target.dry_run == DryRun::kNo && !revision.empty() && revision != "0") {
    return internal_error("resourceVersion should not be set on objects to be created");
  }
  return std::nullopt;
}

ApiError taken(const RestParts& parts, const WriteTarget& target, const std::string& name) {
  const VersionPtr there = parts.store.get(target.resource.collection, target.ns, name);
  const Subject subject = Subject::resource(target.resource, name);
  return there != nullptr && is_being_deleted(there->json()) ? already_exists_deleting(subject)
                                                             : already_exists(subject);
}

void track(const WriteTarget& target, Json& object, const Json& old) {
  if (target.tracking == Tracking::kDone) return;
  track_update(object, old, target.resource.schema, target.manager);
}

ApiFailure check_size(const Json& object) {
  if (!is_too_large(object)) return std::nullopt;
  return internal_error("etcdserver: request is too large");
}

/// Asks validating admission. `old`: null for a new object.
ApiFailure judge(const WriteTarget& target, const Json& object, const Json* old) {
  if (target.judge == nullptr) return std::nullopt;
  using Operation = JudgedWrite::Operation;
  JudgedWrite write{.operation = old == nullptr ? Operation::kCreate : Operation::kUpdate,
                    .resource = target.resource,
                    .subresource = target.subresource,
                    .ns = target.ns,
                    .name = object.text_at({"metadata", "name"}),
                    .object = &object,
                    .old = old,
                    .dry_run = target.dry_run == DryRun::kYes};
  if (target.view == nullptr || old == nullptr) return target.judge(write);
  const Json view = target.view(object, target.resource);
  const Json old_view = target.view(*old, target.resource);
  write.object = &view;
  write.old = &old_view;
  return target.judge(write);
}

bool is_service(const Resource& resource) {
  return resource.group.empty() && resource.name == "services";
}

/// One try under the name that `object` has now. No value: the name is taken.
ApiResult<std::optional<Written>> try_create(const RestParts& parts, const WriteTarget& target,
                                             Json object) {
  if (ApiFailure failure = check_new(target, object)) return *failure;
  object["metadata"].erase("resourceVersion");
  track(target, object, Json());
  if (ApiFailure failure = judge(target, object, nullptr)) return *failure;
  if (ApiFailure failure = check_size(object)) return *failure;
  Reserved reserved =
      parts.admission.reserve(admission_request(target, WriteVerb::kCreate, nullptr), object);
  if (reserved.refusal) return *reserved.refusal;
  if (target.dry_run == DryRun::kYes) {
    const std::string name = object.text_at({"metadata", "name"});
    if (parts.store.get(target.resource.collection, target.ns, name) != nullptr) {
      return std::optional<Written>();
    }
    ApiResult<VersionPtr> shown = unstored(parts, std::move(object), target.resource);
    if (!shown) return shown.error();
    return std::optional(Written{std::move(*shown), Written::Effect::kCreated});
  }
  ApiResult<Draft> draft = make_draft(parts, std::move(object), target.resource);
  if (!draft) return draft.error();
  if (ApiFailure failure = check_size(draft->object)) return *failure;
  // Again: webhooks take their time.
  if (ApiFailure failure = check_definition(parts, target, draft->name)) return *failure;
  Result<VersionPtr> stored = parts.store.create(target.resource.collection, std::move(*draft));
  if (!stored) {
    if (stored.error().code() == Code::kAlreadyExists) return std::optional<Written>();
    return store_error(stored.error());
  }
  if (reserved.reservation != nullptr) reserved.reservation->commit();
  parts.observer.stored(target.resource, *stored);
  if (is_service(target.resource)) keep_addresses(parts, (*stored)->json(), nullptr);
  charge_quotas(parts, target.ns, reserved.charge);
  return std::optional(Written{std::move(*stored), Written::Effect::kCreated});
}

/// metadata.resourceVersion of a body against what is stored. Nothing: they fit.
ApiFailure check_revision(const WriteTarget& target, const Json& next, const Version& current) {
  const std::string& given = next.text_at({"metadata", "resourceVersion"});
  if (given.empty() || given == "0") {
    if (target.resource.unconditional_update) return std::nullopt;
    return invalid(
        Subject::resource(target.resource, target.name),
        {field_invalid("metadata.resourceVersion", Json(0), "must be specified for an update")});
  }
  const Result<Revision> revision = parse_revision(given);
  if (!revision) return internal_error(revision.error().message());
  if (*revision != current.revision) {
    return stale(Subject::resource(target.resource, target.name));
  }
  return std::nullopt;
}

UpdateTarget part_of(std::string_view subresource) {
  if (subresource == "status") return UpdateTarget::kStatus;
  return subresource == "approval" ? UpdateTarget::kApproval : UpdateTarget::kObject;
}

/// Rules of the kind, of metadata and of admission, on what is to replace `old`.
ApiFailure prepare_next(const RestParts& parts, const WriteTarget& target, Json& next,
                        const Json& old, std::vector<std::string>& warnings) {
  const Resource& resource = target.resource;
  const UpdateTarget part = part_of(target.subresource);
  if (ApiFailure failure = fill_namespace(next, target.ns)) return failure;
  const KindRules* rules = target.rules == RuleSet::kAll ? resource.rules.get() : nullptr;
  if (resource.rules != nullptr && target.rules != RuleSet::kNone) {
    resource.rules->set_defaults(next);
    set_times(resource, next, &old, time_text(parts.clock));
  }
  keep_system_metadata(next, old);
  if (target.rules == RuleSet::kAll) {
    if (ApiFailure failure =
            parts.admission.admit(admission_request(target, WriteVerb::kUpdate, &old), next)) {
      return failure;
    }
  }
  if (ApiFailure failure = mutate(parts, target, next, &old)) return failure;
  if (target.permit != nullptr) {
    if (ApiFailure failure = target.permit(next, old)) return failure;
  }
  const bool forgets = forgets_managers(next) && target.subresource.empty();
  if (rules != nullptr) rules->prepare_update(next, old, part);
  if (target.stamp != nullptr) target.stamp(next, old);
  // A status write may change annotations, which count for a Deployment written as a whole only.
  if (target.rules != RuleSet::kNone && part == UpdateTarget::kObject) {
    update_generation(next, old, resource);
  }
  if (rules != nullptr) {
    FieldErrors errors = rules->validate_update(next, old, part);
    if (!errors.empty()) {
      return invalid(Subject::kind_of(resource, target.name), std::move(errors));
    }
    add_update_warnings(target, next, old, warnings);
  }
  if (forgets) {
    next["metadata"].erase("managedFields");
  } else {
    track(target, next, old);
  }
  return std::nullopt;
}

bool is_namespace(const Resource& resource) {
  return resource.group.empty() && resource.name == "namespaces";
}

/// Nothing holds an object that is being deleted any more (k8s: ShouldDeleteDuringUpdate, and its
/// form for namespaces).
bool is_released(const Resource& resource, const Json& next, const Json& old) {
  if (!is_being_deleted(old) || has_finalizers(next)) return false;
  if (is_namespace(resource)) return next.get("spec").get("finalizers").items().empty();
  return grace_seconds(old).value_or(0) == 0;
}

/// One try on `current`. No value: another writer was faster.
ApiResult<std::optional<Written>> try_rewrite(const RestParts& parts, const WriteTarget& target,
                                              const VersionPtr& current, const Produce& produce,
                                              std::vector<std::string>& warnings) {
  const ApiResult<Json> loaded = load(parts, *current, target.resource);
  if (!loaded) return loaded.error();
  const Json& old = *loaded;
  ApiResult<Json> produced = produce(old);
  if (!produced) return produced.error();
  Json& next = *produced;
  if (target.permit != nullptr) {
    if (ApiFailure failure = target.permit(next, old)) return *failure;
  }
  if (ApiFailure failure = check_revision(target, next, *current)) return *failure;
  if (ApiFailure failure = prepare_next(parts, target, next, old, warnings)) return *failure;
  next["metadata"].set("resourceVersion", std::to_string(current->revision));
  if (ApiFailure failure = judge(target, next, &old)) return *failure;
  if (ApiFailure failure = check_size(next)) return *failure;
  using Effect = Written::Effect;
  // A write that changes nothing brings the object into a new storage version.
  if (same_but_for_times(next, old) && is_in_stored_form(parts, *current, target.resource)) {
    return std::optional(Written{current, Effect::kUnchanged});
  }
  Reserved reserved =
      parts.admission.reserve(admission_request(target, WriteVerb::kUpdate, &old), next);
  if (reserved.refusal) return *reserved.refusal;
  const bool released = is_released(target.resource, next, old);
  if (target.dry_run == DryRun::kYes || released) {
    ApiResult<VersionPtr> shown = unstored(parts, next, target.resource);
    if (!shown) return shown.error();
    if (target.dry_run == DryRun::kYes) {
      return std::optional(
          Written{std::move(*shown), released ? Effect::kRemoved : Effect::kUpdated});
    }
    std::optional<ApiResult<VersionPtr>> gone =
        remove_version(parts, target.resource, *current, old);
    if (!gone) return std::optional<Written>();
    if (!*gone) return gone->error();
    return std::optional(Written{std::move(*shown), Effect::kRemoved});
  }
  ApiResult<Draft> draft = make_draft(parts, std::move(next), target.resource);
  if (!draft) return draft.error();
  if (ApiFailure failure = check_size(draft->object)) return *failure;
  Result<VersionPtr> stored =
      parts.store.update(target.resource.collection, std::move(*draft), current->revision);
  if (!stored) {
    const Code code = stored.error().code();
    if (code == Code::kConflict || code == Code::kNotFound) return std::optional<Written>();
    return store_error(stored.error());
  }
  if (reserved.reservation != nullptr) reserved.reservation->commit();
  parts.observer.stored(target.resource, *stored);
  if (is_service(target.resource)) keep_addresses(parts, (*stored)->json(), &old);
  keep_labels(parts, target.resource, **stored);
  return std::optional(Written{std::move(*stored), Effect::kUpdated});
}

}  // namespace

bool is_too_large(const Json& object) {
  constexpr std::size_t kObjectBytesMax = 3 * 512 * 1024;
  return bytes_of(object) > kObjectBytesMax;
}

WriteTarget target_of(const RestParts& parts, const Call& call, const WriteOptions& options) {
  FieldManager manager;
  manager.name = options.field_manager;
  if (manager.name.empty()) manager.name = call.user_agent.substr(0, call.user_agent.find('/'));
  if (manager.name.empty()) manager.name = "unknown";
  manager.api_version = call.resource->api_version();
  manager.subresource = call.url.subresource;
  manager.time = time_text(parts.clock);
  manager.convert = version_converter(parts, *call.resource);
  if (call.url.subresource == "status") {
    manager.reset_fields = {"spec"};
  } else if (call.resource->has_status) {
    manager.reset_fields = {"status"};
  }
  return {.resource = *call.resource,
          .ns = call.ns(),
          .name = call.url.name,
          .subresource = call.url.subresource,
          .dry_run = options.dry_run,
          .manager = std::move(manager),
          .rules = RuleSet::kAll,
          .tracking = Tracking::kPending,
          .permit = call.permit,
          .stamp = call.stamp,
          .judge = call.judge,
          .mutate = call.mutate};
}

ApiResult<Written> create_object(const RestParts& parts, const WriteTarget& target, Json object,
                                 std::vector<std::string>& warnings) {
  if (ApiFailure failure = admit_new(parts, target, object)) return *failure;
  const std::string base = object.text_at({"metadata", "generateName"});
  std::string name = object.text_at({"metadata", "name"});
  if (!name.empty() || base.empty()) {
    prepare_new(parts, target, object);
    std::vector<std::string> added;
    add_warnings(target.resource, object, added);
    ApiResult<std::optional<Written>> written = try_create(parts, target, std::move(object));
    if (!written) return written.error();
    std::ranges::move(added, std::back_inserter(warnings));
    if (!*written) return taken(parts, target, name);
    return std::move(**written);
  }
  std::vector<std::string> added;
  for (int attempt = 0; attempt < kNamesMax; ++attempt) {
    name = generate_name(base, parts.random);
    Json candidate = object;
    candidate["metadata"].set("name", name);
    prepare_new(parts, target, candidate);
    if (attempt == 0) add_warnings(target.resource, candidate, added);
    ApiResult<std::optional<Written>> written = try_create(parts, target, std::move(candidate));
    if (!written) return written.error();
    if (attempt == 0) std::ranges::move(added, std::back_inserter(warnings));
    if (*written) return std::move(**written);
  }
  return already_exists(Subject::resource(target.resource, name));
}

ApiResult<Written> rewrite_object(const RestParts& parts, const WriteTarget& target,
                                  Missing missing, const Produce& produce,
                                  std::vector<std::string>& warnings) {
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    const VersionPtr current = parts.store.get(target.resource.collection, target.ns, target.name);
    std::vector<std::string> added;
    ApiResult<std::optional<Written>> written = std::optional<Written>();
    if (current == nullptr) {
      if (missing == Missing::kNotFound) {
        return not_found(Subject::resource(target.resource, target.name));
      }
      ApiResult<Json> fresh = produce(Json());
      if (!fresh) return fresh.error();
      (*fresh)["metadata"].erase("resourceVersion");
      if (ApiFailure failure = admit_new(parts, target, *fresh)) return *failure;
      prepare_new(parts, target, *fresh);
      add_warnings(target.resource, *fresh, added);
      written = try_create(parts, target, std::move(*fresh));
    } else {
      written = try_rewrite(parts, target, current, produce, added);
    }
    if (!written) return written.error();
    if (*written) {
      warnings.insert(warnings.end(), added.begin(), added.end());
      return std::move(**written);
    }
  }
  return stale(Subject::resource(target.resource, target.name));
}

ApiFailure admit_part(const Resource& resource, std::string_view name, DryRun dry_run, Json& object,
                      const Call& call) {
  const std::string ns = call.ns();
  const JudgedWrite write{.operation = JudgedWrite::Operation::kCreate,
                          .resource = resource,
                          .subresource = call.url.subresource,
                          .ns = ns,
                          .name = name,
                          .object = &object,
                          .dry_run = dry_run == DryRun::kYes};
  if (call.mutate != nullptr) {
    if (ApiFailure failure = call.mutate(write, object, nullptr)) return failure;
  }
  return call.judge == nullptr ? std::nullopt : call.judge(write);
}

ApiFailure rewrite_status(const RestParts& parts, const Resource& resource, const std::string& ns,
                          const std::string& name, DryRun dry_run, const Produce& produce) {
  const WriteTarget target{.resource = resource,
                           .ns = ns,
                           .name = name,
                           .subresource = "status",
                           .dry_run = dry_run,
                           .manager = {},
                           .rules = RuleSet::kNone,
                           .tracking = Tracking::kDone};
  std::vector<std::string> warnings;
  const ApiResult<Written> written =
      rewrite_object(parts, target, Missing::kNotFound, produce, warnings);
  if (!written) return written.error();
  return std::nullopt;
}

namespace {

/// A Service's deletion deletes the Endpoints of its name, too (pkg/registry/core/service/storage
/// afterDelete).
void delete_endpoints_of(const RestParts& parts, const Version& service) {
  const ResourcePtr endpoints = parts.resources.now()->find("", "v1", "endpoints");
  if (endpoints == nullptr) return;
  static_cast<void>(delete_one(parts, *endpoints, service.ns, service.name, {}));
}

}  // namespace

std::optional<ApiResult<VersionPtr>> remove_version(const RestParts& parts,
                                                    const Resource& resource,
                                                    const Version& current, Json last) {
  Draft draft = conversion_hook(resource) != nullptr
                    ? removal_draft(current)
                    : make_draft(last, resource, *parts.resources.now());
  Result<VersionPtr> removed =
      parts.store.remove(resource.collection, std::move(draft), current.revision);
  if (!removed) {
    const Code code = removed.error().code();
    if (code == Code::kConflict || code == Code::kNotFound) return std::nullopt;
    return store_error(removed.error());
  }
  parts.admission.removed(resource, last);
  parts.observer.removed(resource, *removed);
  if (is_service(resource)) delete_endpoints_of(parts, current);
  repair_addresses(parts, resource, last);
  return std::move(*removed);
}

ApiResult<VersionPtr> unstored(const RestParts& parts, Json object, const Resource& resource) {
  ApiResult<Draft> made = make_draft(parts, std::move(object), resource);
  if (!made) return made.error();
  Draft& draft = *made;
  auto version = std::make_shared<Version>();
  version->ns = std::move(draft.ns);
  version->name = std::move(draft.name);
  version->uid = draft.object.text_at({"metadata", "uid"});
  version->labels = std::move(draft.labels);
  std::ranges::sort(version->labels);
  version->fields = std::move(draft.fields);
  version->text = to_text(draft.object);
  return VersionPtr(std::move(version));
}

ApiError store_error(const Status& status) {
  return without_details(reason::kInternalError, status.message());
}

}  // namespace davit::sandbox
