#include "sandbox/rest/object_parts.hpp"

#include <algorithm>
#include <array>

#include "sandbox/rest/decode.hpp"
#include "sandbox/rest/patch_object.hpp"
#include "sandbox/rest/response.hpp"
#include "sandbox/rest/verbs.hpp"
#include "sandbox/rest/write.hpp"

namespace davit::sandbox {

namespace {

constexpr std::array<std::string_view, 4> kParts = {"finalize", "ephemeralcontainers", "resize",
                                                    "approval"};

const Json* find_named(const Json& list, const std::string& name) {
  for (const Json& each : list.items()) {
    if (each.get("name").text() == name) return &each;
  }
  return nullptr;
}

/// spec.ephemeralContainers only grow.
ApiResult<Json> with_ephemeral(const Json& old, const Json& body, const Call& call) {
  constexpr std::string_view kField = "ephemeralContainers";
  const Json& wanted = body.get("spec").get(kField);
  for (const Json& each : old.get("spec").get(kField).items()) {
    const std::string& name = each.get("name").text();
    const Json* kept = find_named(wanted, name);
    if (kept != nullptr && *kept == each) continue;
    return invalid(Subject::kind_of(*call.resource, call.url.name),
                   {field_forbidden("spec.ephemeralContainers",
                                    "existing ephemeral containers " + to_text(Json(name)) +
                                        " may not be " + (kept ? "changed" : "removed") + "\n")});
  }
  Json next = old;
  if (!wanted.items().empty()) next["spec"].set(kField, wanted);
  return next;
}

/// The resources of containers that both have.
Json with_resources(const Json& old, const Json& body) {
  Json next = old;
  for (const std::string_view list : {"containers", "initContainers"}) {
    if (!next["spec"].contains(list)) continue;
    for (Json& each : next["spec"][list].make_array()) {
      const Json* wanted = find_named(body.get("spec").get(list), each.get("name").text());
      if (wanted != nullptr) each.set("resources", wanted->get("resources"));
    }
  }
  return next;
}

/// `old` with the part that the URL names taken from `body`.
ApiResult<Json> with_part(const Json& old, const Json& body, const Call& call) {
  const std::string& part = call.url.subresource;
  if (ApiFailure failure = check_uid(body, old, *call.resource)) return *failure;
  ApiResult<Json> next = old;
  if (part == "ephemeralcontainers") next = with_ephemeral(old, body, call);
  if (part == "resize") next = with_resources(old, body);
  if (!next) return next;
  if (part == "finalize") {
    next->set("metadata", body.get("metadata"));
    (*next)["spec"].set("finalizers", body.get("spec").get("finalizers"));
    if (next->get("spec").get("finalizers").empty()) (*next)["spec"].erase("finalizers");
  }
  if (part == "approval") {
    next->set("metadata", body.get("metadata"));
    (*next)["status"].set("conditions", body.get("status").get("conditions"));
  }
  const std::string& revision = body.text_at({"metadata", "resourceVersion"});
  if (revision.empty()) {
    (*next)["metadata"].set("resourceVersion", old.text_at({"metadata", "resourceVersion"}));
  } else {
    (*next)["metadata"].set("resourceVersion", revision);
  }
  return next;
}

RuleSet rules_of(const std::string& part) {
  if (part == "approval") return RuleSet::kAll;
  return part == "ephemeralcontainers" || part == "resize" ? RuleSet::kDefaults : RuleSet::kNone;
}

ApiResult<HttpServerResponse> write_part(const RestParts& parts, Call& call,
                                         const WriteOptions& options, const Produce& body_for) {
  WriteTarget target = target_of(parts, call, options);
  target.rules = rules_of(call.url.subresource);
  const ApiResult<Written> written = rewrite_object(
      parts, target, Missing::kNotFound,
      [&](const Json& old) -> ApiResult<Json> {
        ApiResult<Json> body = body_for(old);
        if (!body) return body.error();
        return with_part(old, *body, call);
      },
      call.warnings);
  if (!written) return written.error();
  return written_response(parts, call, *written);
}

}  // namespace

bool is_object_part(std::string_view subresource) {
  return std::ranges::find(kParts, subresource) != kParts.end();
}

ApiResult<HttpServerResponse> write_object_part(const RestParts& parts, Call& call) {
  const BodyType type = BodyType::of(*call.resource);
  if (call.verb == Verb::kPatch) {
    ApiResult<Patch> patch = read_patch(call, type);
    if (!patch) return patch.error();
    if (patch->type == PatchType::kApply) patch->type = PatchType::kMerge;
    return write_part(parts, call, patch->options, [&](const Json& old) {
      return apply_patch(*patch, old, call, type, call.warnings);
    });
  }
  const ApiResult<WriteOptions> options = parse_write_options(call.url.query, WriteKind::kUpdate);
  if (!options) return options.error();
  ApiResult<Decoded> decoded = decode_body(call.request, type, options->validation);
  if (!decoded) return decoded.error();
  call.warnings = std::move(decoded->warnings);
  if (ApiFailure failure = check_name(decoded->object, call.url.name)) return *failure;
  return write_part(parts, call, *options,
                    [&](const Json&) -> ApiResult<Json> { return decoded->object; });
}

}  // namespace davit::sandbox
