#include "sandbox/output/openapi.hpp"

#include <algorithm>
#include <set>

namespace davit::sandbox {

namespace {

constexpr std::string_view kKindKey = "x-kubernetes-group-version-kind";

std::string object_path(const Resource& resource) {
  std::string out = '/' + openapi_path(resource.api_version());
  if (resource.namespaced) out += "/namespaces/{namespace}";
  return out + '/' + resource.name + "/{name}";
}

Json kind_of(const Resource& resource) {
  return Json::object(
      {{"group", resource.group}, {"version", resource.version}, {"kind", resource.kind}});
}

/// The parameters that kubectl looks for before it sends fieldValidation, and before 1.27, dryRun.
Json patch_operation(const Resource& resource) {
  Json parameters = Json::array();
  for (const std::string_view name : {"dryRun", "fieldValidation"}) {
    parameters.push_back(
        Json::object({{"name", name},
                      {"in", "query"},
                      {"schema", Json::object({{"type", "string"}, {"uniqueItems", true}})}}));
  }
  return Json::object({{"operationId", "patch" + resource.kind},
                       {"parameters", std::move(parameters)},
                       {"responses", Json::object()},
                       {"x-kubernetes-action", "patch"},
                       {kKindKey, kind_of(resource)}});
}

/// The kinds that `schemas` describes.
std::set<std::string> described_kinds(const Json& schemas) {
  std::set<std::string> out;
  for (const Json::Member& each : schemas.members()) {
    for (const Json& kind : each.value.get(kKindKey).items()) {
      out.insert(kind.text_at({"kind"}));
    }
  }
  return out;
}

/// A kind without a table has its definition's, or one that allows everything.
Json other_schema(const Resource& resource) {
  if (resource.custom) {
    Json out = resource.published;
    out.set(kKindKey, Json::array({kind_of(resource)}));
    return out;
  }
  const Json text = Json::object({{"type", "string"}});
  return Json::object(
      {{"type", "object"},
       {"properties", Json::object({{"apiVersion", text},
                                    {"kind", text},
                                    {"metadata", Json::object({{"type", "object"}})}})},
       {"x-kubernetes-preserve-unknown-fields", true},
       {kKindKey, Json::array({kind_of(resource)})}});
}

/// "com.example.v1.Widget": the group's labels turned round, as upstream names CRDs.
std::string other_schema_name(const Resource& resource) {
  std::string out;
  std::string_view rest = resource.group;
  while (!rest.empty()) {
    const std::size_t dot = std::min(rest.rfind('.') + 1, rest.size());
    out += std::string(rest.substr(dot)) + '.';
    rest = rest.substr(0, dot == 0 ? 0 : dot - 1);
  }
  return (out.empty() ? "io.k8s.api.core." : out) + resource.version + '.' + resource.kind;
}

}  // namespace

std::string openapi_path(std::string_view api_version) {
  const bool core = api_version.find('/') == std::string_view::npos;
  return (core ? "api/" : "apis/") + std::string(api_version);
}

Json openapi_document(std::span<const ResourcePtr> resources, std::string_view api_version,
                      Json schemas) {
  schemas.make_object();
  const std::set<std::string> described = described_kinds(schemas);
  Json paths = Json::object();
  for (const ResourcePtr& each : resources) {
    if (each->api_version() != api_version) continue;
    paths[object_path(*each)]["patch"] = patch_operation(*each);
    if (!described.contains(each->kind)) schemas[other_schema_name(*each)] = other_schema(*each);
  }
  Json out = Json::object(
      {{"openapi", "3.0.0"},
       {"info", Json::object({{"title", "Kubernetes"}, {"version", kOpenApiInfoVersion}})}});
  out["paths"] = std::move(paths);
  out["components"]["schemas"] = std::move(schemas);
  return out;
}

Json openapi_index(std::span<const std::pair<std::string, std::string>> documents) {
  Json out = Json::object({{"paths", Json::object()}});
  for (const auto& [api_version, hash] : documents) {
    const std::string path = openapi_path(api_version);
    out["paths"][path]["serverRelativeURL"] = "/openapi/v3/" + path + "?hash=" + hash;
  }
  return out;
}

std::vector<std::string> api_versions_of(std::span<const ResourcePtr> resources) {
  std::vector<std::string> out;
  for (const ResourcePtr& each : resources) {
    std::string api_version = each->api_version();
    if (std::find(out.begin(), out.end(), api_version) == out.end()) {
      out.push_back(std::move(api_version));
    }
  }
  return out;
}

}  // namespace davit::sandbox
