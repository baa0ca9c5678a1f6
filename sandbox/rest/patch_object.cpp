// PATCH: the patch types, applied to what is stored and then written like a PUT.
#include "sandbox/rest/patch_object.hpp"

#include "lib/kube/patch/apply.hpp"
#include "lib/kube/patch/patch.hpp"
#include "sandbox/rest/decode.hpp"
#include "sandbox/rest/meta.hpp"
#include "sandbox/rest/response.hpp"
#include "sandbox/rest/verbs.hpp"
#include "sandbox/rest/write.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kJsonPatch = "application/json-patch+json";
constexpr std::string_view kMergePatch = "application/merge-patch+json";
constexpr std::string_view kStrategicPatch = "application/strategic-merge-patch+json";
constexpr std::string_view kApplyPatch = "application/apply-patch+yaml";

std::optional<PatchType> patch_type(std::string_view media) {
  if (media == kJsonPatch) return PatchType::kJson;
  if (media == kMergePatch) return PatchType::kMerge;
  if (media == kStrategicPatch) return PatchType::kStrategic;
  if (media == kApplyPatch) return PatchType::kApply;
  return std::nullopt;
}

ApiError from_patch(PatchError error) {
  ApiError out = without_details(error.reason, std::move(error.message));
  if (out.code == 422) out.details = StatusDetails();
  return out;
}

/// `patch: Invalid value: …`, without Kind and name, which the real server leaves out.
ApiError bad_patch(std::string_view shown, std::string_view why) {
  return invalid({}, {field_invalid("patch", shown, why)});
}

/// The patch as Go would print it in a message.
std::string shown_patch(const Patch& patch, const HttpServerRequest& request) {
  return patch.type == PatchType::kStrategic ? go_text(patch.body) : request.body;
}

ApiResult<Json> patched(const Patch& patch, const Json& old, const BodyType& type) {
  Json next = old;
  PatchOutcome error;
  switch (patch.type) {
    case PatchType::kJson:
      error = apply_json_patch(next, patch.body);
      break;
    case PatchType::kMerge:
      error = apply_merge_patch(next, patch.body);
      break;
    case PatchType::kStrategic:
      error = apply_strategic_patch(next, patch.body, *type.schema);
      break;
    case PatchType::kApply:
      break;
  }
  if (error) return from_patch(std::move(*error));
  if (!next.is_object()) return bad_patch("", "the result is not an object");
  return next;
}

ApiError from_conflicts(const std::vector<ApplyConflict>& conflicts) {
  ApiError out = without_details(reason::kConflict, conflict_message(conflicts));
  out.details = StatusDetails();
  for (const ApplyConflict& each : conflicts) {
    out.details->causes.push_back(
        {"FieldManagerConflict", each.field, "conflict with " + each.manager});
  }
  return out;
}

/// Checks the members that an apply body must and must not have.
ApiFailure check_applied(const Patch& patch, const BodyType& type, const Call& call) {
  const std::vector<std::string>& repeated = patch.found.repeated;
  if (!repeated.empty() && patch.options.validation == FieldValidation::kStrict) {
    return bad_request("error strict decoding YAML: error converting YAML to JSON: " +
                       yaml_errors(repeated));
  }
  const Json& applied = patch.body;
  const std::string& kind = applied.get("kind").text();
  const std::string& version = applied.get("apiVersion").text();
  if (kind.empty() || version.empty()) {
    return bad_request("invalid object type: " + (version.empty() ? "/" : version) +
                       ", Kind=" + kind);
  }
  if (type.custom != nullptr && version != type.api_version()) {
    return bad_request("invalid object type: " + version + ", Kind=" + kind);
  }
  if (kind != type.kind || version != type.api_version()) {
    return bad_request("the API version in the data (" + version +
                       ") does not match the expected API version (" + type.api_version() + ')');
  }
  if (const Json* managed = applied.at({"metadata", "managedFields"});
      managed != nullptr && !managed->empty()) {
    return bad_request("metadata.managedFields must be nil");
  }
  if (applied.text_at({"metadata", "name"}).empty()) return std::nullopt;
  return check_name(applied, call.url.name);
}

ApiFailure check_apply_uid(const Json& applied, const Json& old, const Call& call) {
  const std::string& uid = applied.text_at({"metadata", "uid"});
  if (uid.empty()) return std::nullopt;
  if (!old.is_null()) return check_uid(applied, old, *call.resource);
  return conflict(Subject::resource(*call.resource, call.url.name),
                  "uid mismatch: the provided object specified uid " + uid +
                      ", and no existing object was found");
}

}  // namespace

ApiResult<Patch> read_patch(const Call& call, const BodyType& type) {
  const std::optional<PatchType> known =
      patch_type(media_type(call.request.header("Content-Type")));
  if (!known) return unsupported_media_type("415: Unsupported Media Type");
  Patch out{*known};
  if (out.type == PatchType::kStrategic && (type.custom != nullptr || type.schema == nullptr)) {
    return unsupported_media_type(
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
  }
  ApiResult<WriteOptions> options = parse_write_options(
      call.url.query, out.type == PatchType::kApply ? WriteKind::kApply : WriteKind::kPatch);
  if (!options) return options.error();
  out.options = std::move(*options);
  if (call.request.body_too_large || call.request.body.size() > kBodyBytesMax) {
    return body_too_large(kBodyBytesMax);
  }
  const std::string_view media =
      out.type == PatchType::kApply ? std::string_view("application/yaml") : "application/json";
  Result<Json> body = parse_text(call.request.body, media, &out.found);
  if (!body) {
    return bad_request(
        (out.type == PatchType::kApply ? "error decoding YAML: " : "error decoding patch: ") +
        body.error().message());
  }
  out.body = std::move(*body);
  if (out.type != PatchType::kJson && !out.body.is_object()) {
    return bad_request(
        "error decoding patch: json: cannot unmarshal value into Go value of type "
        "map[string]interface {}");
  }
  return out;
}

ApiResult<Json> apply_patch(const Patch& patch, const Json& old, const Call& call,
                            const BodyType& type, std::vector<std::string>& warnings) {
  ApiResult<Json> next = patched(patch, old, type);
  if (!next) return next.error();
  if (ApiFailure failure = keep_type(*next, type)) return *failure;
  const bool forgets = forgets_managers(*next);
  const ApiFailure failure =
      conform_body(*next, type, patch.options.validation, patch.found, warnings);
  if (failure) {
    const std::size_t colon = failure->message.find(": ");
    return bad_patch(shown_patch(patch, call.request),
                     failure->message.substr(colon == std::string::npos ? 0 : colon + 2));
  }
  if (forgets) (*next)["metadata"].set("managedFields", Json::array({Json::object()}));
  if (ApiFailure other = check_name(*next, call.url.name)) return *other;
  return next;
}

ApiResult<Json> apply_intent(const Patch& patch, const Json& old, const Call& call,
                             const BodyType& type, const FieldManager& manager) {
  if (ApiFailure failure = check_apply_uid(patch.body, old, call)) return *failure;
  Json applied = patch.body;
  if (applied.text_at({"metadata", "name"}).empty()) applied["metadata"].set("name", call.url.name);
  Json live = old;
  ApplyOutcome outcome = server_side_apply(live, applied, type.schema, manager,
                                           patch.options.force.value_or(Force::kNo));
  if (outcome.error) return from_patch(std::move(*outcome.error));
  if (!outcome.conflicts.empty()) return from_conflicts(outcome.conflicts);
  const std::string& revision = applied.text_at({"metadata", "resourceVersion"});
  if (!revision.empty()) live["metadata"].set("resourceVersion", revision);
  if (ApiFailure failure = keep_type(live, type)) return *failure;
  std::vector<std::string> ignored;
  if (ApiFailure failure = conform_body(live, type, FieldValidation::kIgnore, {}, ignored)) {
    return *failure;
  }
  return live;
}

ApiResult<HttpServerResponse> patch_object(const RestParts& parts, Call& call) {
  const BodyType type = BodyType::of(*call.resource);
  const ApiResult<Patch> patch = read_patch(call, type);
  if (!patch) {
    // A patch is decoded when it is applied, and that needs something to apply it to.
    const bool nothing_there =
        parts.store.get(call.resource->collection, call.ns(), call.url.name) == nullptr;
    if (patch.error().code == 400 && nothing_there) {
      return not_found(Subject::resource(*call.resource, call.url.name));
    }
    return patch.error();
  }
  WriteTarget target = target_of(parts, call, patch->options);
  Missing missing = Missing::kNotFound;
  std::vector<std::string> added;
  Produce produce = [&](const Json& old) {
    added.clear();  // Drops those of an attempt that lost a race.
    return apply_patch(*patch, old, call, type, added);
  };
  if (patch->type == PatchType::kApply) {
    if (ApiFailure failure = check_applied(*patch, type, call)) return *failure;
    target.tracking = Tracking::kDone;
    if (call.url.subresource.empty()) missing = Missing::kCreate;
    produce = [&](const Json& old) {
      return apply_intent(*patch, old, call, type, target.manager);
    };
    if (patch->options.validation == FieldValidation::kWarn) added = patch->found.repeated;
  }
  const ApiResult<Written> written = rewrite_object(parts, target, missing, produce, call.warnings);
  if (!written) return written.error();
  call.warnings.insert(call.warnings.begin(), added.begin(), added.end());
  return written_response(parts, call, *written);
}

}  // namespace davit::sandbox
