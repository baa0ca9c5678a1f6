#include "sandbox/rest/scale.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/rest/convert.hpp"
#include "sandbox/rest/decode.hpp"
#include "sandbox/rest/patch_object.hpp"
#include "sandbox/rest/response.hpp"
#include "sandbox/rest/verbs.hpp"
#include "sandbox/rest/write.hpp"

namespace davit::sandbox {

namespace {

/// The differences of a built-in kind's Scale from that of a custom resource.
struct ScaleKind {
  enum class Selector { kLabelSelector, kLabels };

  std::string_view resource;
  Selector selector = Selector::kLabelSelector;
};

/// The kinds of registry/apps/*/storage and registry/core/replicationcontroller/storage of v1.36.
constexpr ScaleKind kScaleKinds[] = {
    {"deployments"},
    {"replicasets"},
    {"replicationcontrollers", ScaleKind::Selector::kLabels},
    {"statefulsets"},
};

ScaleKind scale_kind_of(const Resource& resource) {
  const auto* found = std::ranges::find(kScaleKinds, resource.name, &ScaleKind::resource);
  return resource.custom || found == std::end(kScaleKinds) ? ScaleKind() : *found;
}

BodyType scale_type() { return BodyType::of_kind("autoscaling", "v1", "Scale"); }

const Json* follow(const Json& object, const std::vector<std::string>& path) {
  const Json* at = &object;
  for (const std::string& each : path) {
    at = at->find(each);
    if (at == nullptr) return nullptr;
  }
  return path.empty() ? nullptr : at;
}

void set_path(Json& object, const std::vector<std::string>& path, Json value) {
  Json* at = &object;
  for (const std::string& each : path) at = &(*at)[each];
  *at = std::move(value);
}

ScalePaths paths_of(const Resource& resource) {
  if (const ScalePaths* custom = scale_paths(resource)) return *custom;
  return {{"spec", "replicas"}, {"status", "replicas"}, {}};
}

std::string selector_of(const Json& parent, const Resource& resource, const ScalePaths& paths) {
  if (resource.custom) {
    const Json* text = follow(parent, paths.label_selector);
    return text == nullptr ? std::string() : text->text();
  }
  const Json& selector = parent.get("spec").get("selector");
  return scale_kind_of(resource).selector == ScaleKind::Selector::kLabels
             ? selector_query(Json::object({{"matchLabels", selector}}))
             : selector_query(selector);
}

/// The Scale that shows `parent`.
Json scale_of(const Json& parent, const Resource& resource) {
  const ScalePaths paths = paths_of(resource);
  Json metadata = Json::object();
  for (const std::string_view key :
       {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const Json* value = parent.at({"metadata", key})) metadata.set(key, *value);
  }
  Json spec = Json::object();
  const Json* wanted = follow(parent, paths.spec_replicas);
  if (wanted != nullptr && wanted->integer_or(0) != 0) spec.set("replicas", *wanted);
  const Json* there = follow(parent, paths.status_replicas);
  Json status = Json::object({{"replicas", there == nullptr ? 0 : there->integer_or(0)}});
  std::string selector = selector_of(parent, resource, paths);
  if (!selector.empty()) status.set("selector", std::move(selector));
  return Json::object({{"kind", "Scale"},
                       {"apiVersion", "autoscaling/v1"},
                       {"metadata", std::move(metadata)},
                       {"spec", std::move(spec)},
                       {"status", std::move(status)}});
}

/// `old` with the replicas of `scale`, whose uid and version are preconditions.
ApiResult<Json> with_replicas(const Json& old, const Json& scale, const Call& call) {
  if (ApiFailure failure = check_name(scale, call.url.name)) return *failure;
  if (ApiFailure failure = check_uid(scale, old, *call.resource)) return *failure;
  const std::int64_t replicas = scale.get("spec").get("replicas").integer_or(0);
  if (replicas < 0) {
    return invalid(
        {"autoscaling", "Scale", call.url.name},
        {field_invalid("spec.replicas", Json(replicas), "must be greater than or equal to 0")});
  }
  Json next = old;
  const std::string& revision = scale.text_at({"metadata", "resourceVersion"});
  if (!revision.empty()) next["metadata"].set("resourceVersion", revision);
  set_path(next, paths_of(*call.resource).spec_replicas, Json(replicas));
  return next;
}

/// Lets webhooks and policies change the Scale that is to replace the one of `old`.
ApiResult<Json> mutated_scale(const Json& old, Json scale, const Call& call, DryRun dry_run) {
  if (call.mutate == nullptr) return scale;
  const Json before = scale_of(old, *call.resource);
  const std::string ns = call.ns();
  const JudgedWrite write{.operation = JudgedWrite::Operation::kUpdate,
                          .resource = *call.resource,
                          .subresource = call.url.subresource,
                          .ns = ns,
                          .name = call.url.name,
                          .object = &scale,
                          .old = &before,
                          .dry_run = dry_run == DryRun::kYes};
  if (ApiFailure failure = call.mutate(write, scale, nullptr)) return *failure;
  return scale;
}

WriteTarget scale_target(const RestParts& parts, const Call& call, const WriteOptions& options) {
  WriteTarget out = target_of(parts, call, options);
  out.view = scale_of;
  return out;
}

ApiResult<HttpServerResponse> scale_response(const RestParts& parts, const Call& call,
                                             const ApiResult<Written>& written) {
  if (!written) return written.error();
  const ApiResult<Json> parent = load(parts, *written->version, *call.resource);
  if (!parent) return parent.error();
  return object_response(parts, call, 200, scale_of(*parent, *call.resource));
}

ApiResult<HttpServerResponse> put_scale(const RestParts& parts, Call& call) {
  const ApiResult<WriteOptions> options = parse_write_options(call.url.query, WriteKind::kUpdate);
  if (!options) return options.error();
  ApiResult<Decoded> decoded = decode_body(call.request, scale_type(), options->validation);
  if (!decoded) return decoded.error();
  call.warnings = std::move(decoded->warnings);
  return scale_response(parts, call,
                        rewrite_object(
                            parts, scale_target(parts, call, *options), Missing::kNotFound,
                            [&](const Json& old) -> ApiResult<Json> {
                              ApiResult<Json> scale =
                                  mutated_scale(old, decoded->object, call, options->dry_run);
                              if (!scale) return scale.error();
                              return with_replicas(old, *scale, call);
                            },
                            call.warnings));
}

ApiResult<HttpServerResponse> patch_scale(const RestParts& parts, Call& call) {
  const BodyType type = scale_type();
  ApiResult<Patch> patch = read_patch(call, type);
  if (!patch) return patch.error();
  // An applied Scale says nothing but replicas: the same as merging it.
  if (patch->type == PatchType::kApply) patch->type = PatchType::kMerge;
  return scale_response(
      parts, call,
      rewrite_object(
          parts, scale_target(parts, call, patch->options), Missing::kNotFound,
          [&](const Json& old) -> ApiResult<Json> {
            ApiResult<Json> scale =
                apply_patch(*patch, scale_of(old, *call.resource), call, type, call.warnings);
            if (scale) {
              scale = mutated_scale(old, std::move(*scale), call, patch->options.dry_run);
            }
            if (!scale) return scale.error();
            return with_replicas(old, *scale, call);
          },
          call.warnings));
}

}  // namespace

ApiResult<HttpServerResponse> get_scale(const RestParts& parts, Call& call) {
  const VersionPtr version = parts.store.get(call.resource->collection, call.ns(), call.url.name);
  if (version == nullptr) return not_found(Subject::resource(*call.resource, call.url.name));
  const ApiResult<Json> loaded = load(parts, *version, *call.resource);
  if (!loaded) return loaded.error();
  const Json& parent = *loaded;
  if (const ScalePaths* custom = scale_paths(*call.resource);
      custom != nullptr && follow(parent, custom->spec_replicas) == nullptr) {
    std::string path;
    for (const std::string& each : custom->spec_replicas) path += '.' + each;
    return internal_error("Internal error occurred: the spec replicas field \"" + path +
                          "\" does not exist");
  }
  return object_response(parts, call, 200, scale_of(parent, *call.resource));
}

ApiResult<HttpServerResponse> write_scale(const RestParts& parts, Call& call) {
  return call.verb == Verb::kPatch ? patch_scale(parts, call) : put_scale(parts, call);
}

}  // namespace davit::sandbox
