#include "sandbox/server/documents.hpp"

#include <algorithm>

#include "lib/kube/schema/describe.hpp"
#include "lib/kube/schema/schema.hpp"
#include "lib/net/accept.hpp"
#include "sandbox/aggregation/merged_openapi.hpp"
#include "sandbox/output/discovery.hpp"
#include "sandbox/output/openapi.hpp"
#include "sandbox/output/openapi_v2.hpp"
#include "sandbox/server/acceptance.hpp"

namespace davit::sandbox {

namespace {

/// 304 when the client has this very body.
HttpServerResponse tagged(const HttpServerRequest& request, std::string body, std::string type) {
  HttpServerResponse response;
  response.content_type = kJsonText;
  response.headers.emplace_back("ETag", etag_of(body));
  response.headers.emplace_back("Vary", "Accept");
  if (request.header("If-None-Match") == response.headers.front().second) {
    response.status = 304;
    return response;
  }
  response.content_type = std::move(type);
  response.body = std::move(body);
  return response;
}

ApiResult<HttpServerResponse> root(const HttpServerRequest& request, const Url& url,
                                   const ResourceSet& set, const FurtherGroups& further,
                                   std::string_view server_address) {
  const bool core = url.segments[0] == "api";
  if (core) {
    if (ApiFailure failure = check_route(request.header("Accept"), kObjectTypes)) return *failure;
  }
  const ApiResult<DiscoveryForm> form = negotiate_discovery(request.header("Accept"));
  if (!form) return form.error();
  if (form->aggregated) {
    const DiscoveryRoot root = core ? DiscoveryRoot::kCore : DiscoveryRoot::kGroups;
    Json document = aggregated_discovery(set.all(), root);
    if (!core) {
      further.metrics.append_aggregated(document["items"]);
      merge_aggregated(document["items"], further.remote);
    }
    return tagged(request, to_text(document) + '\n', form->content_type);
  }
  if (core) return json_response(200, to_text(api_versions(server_address)));
  Json document = api_group_list(set.all());
  remove_unregistered_groups(document["groups"], further.remote);
  further.metrics.append_groups(document["groups"]);
  merge_groups(document["groups"], further.remote);
  return json_response(200, to_text(document));
}

/// The server of a document: the router, or the layer before it, which has the groups.
enum class Route : bool { kOwn, kNone };

ApiResult<HttpServerResponse> found(const HttpServerRequest& request, Route route,
                                    const std::optional<Json>& document) {
  if (!document) return page_not_found();
  const std::string_view accept = request.header("Accept");
  if (route == Route::kOwn) {
    if (ApiFailure failure = check_route(accept, kObjectTypes)) return *failure;
  }
  if (ApiFailure failure = check_document(accept)) return *failure;
  return json_response(200, to_text(*document));
}

void move_members(Json& from, Json& to) {
  for (Json::Member& each : from.make_object()) to.set(each.key, std::move(each.value));
}

/// The document of version 2: all group versions in one.
Json document_v2(const ResourceSet& set) {
  Json paths = Json::object();
  Json schemas = Json::object();
  const Descriptions descriptions;
  for (const std::string& version : api_versions_of(set.all())) {
    Json document = openapi_document(set.all(), version, openapi_schemas(version, descriptions));
    move_members(document["paths"], paths);
    move_members(document["components"]["schemas"], schemas);
  }
  return openapi_v2_document(paths, schemas);
}

/// 406 of the OpenAPI paths, which have no Status.
HttpServerResponse nothing_acceptable() {
  HttpServerResponse response;
  response.status = 406;
  return response;
}

bool takes_json(const HttpServerRequest& request) {
  return std::ranges::any_of(parse_accept(request.header("Accept")), [](const AcceptEntry& each) {
    return each.takes("application/json");
  });
}

/// "apis/apps/v1" of "/openapi/v3/apis/apps/v1".
std::string document_name(const Url& url) {
  std::string out;
  for (std::size_t i = 2; i < url.segments.size(); ++i) {
    out += (out.empty() ? "" : "/") + url.segments[i];
  }
  return out;
}

}  // namespace

Documents::Documents(std::string server_address) : server_address_(std::move(server_address)) {}

bool Documents::has(const Url& url) {
  if (url.segments.empty()) return false;
  const std::string& first = url.segments[0];
  return first == "api" || first == "apis" || first == "openapi";
}

ApiResult<HttpServerResponse> Documents::respond(const HttpServerRequest& request, const Url& url,
                                                 std::shared_ptr<const ResourceSet> resources,
                                                 const FurtherGroups& further) {
  const std::vector<std::string>& parts = url.segments;
  if (parts[0] == "openapi") return openapi(request, url, resources, further.remote);
  const std::span<const ResourcePtr> all = resources->all();
  if (parts.size() == 1) return root(request, url, *resources, further, server_address_);
  if (parts[0] == "api") return found(request, Route::kOwn, api_resource_list(all, "", parts[1]));
  if (parts.size() == 2) {
    std::optional<Json> group = further.metrics.group(parts[1]);
    if (!group) group = api_group(all, parts[1]);
    group = merge_group(std::move(group), parts[1], further.remote);
    return found(request, Route::kNone, group);
  }
  if (const auto list = further.metrics.resource_list(parts[1], parts[2])) {
    return found(request, Route::kOwn, list);
  }
  return found(request, Route::kOwn, api_resource_list(all, parts[1], parts[2]));
}

ApiResult<HttpServerResponse> Documents::openapi(
    const HttpServerRequest& request, const Url& url,
    const std::shared_ptr<const ResourceSet>& resources, const RemoteApis& remote) {
  const std::vector<std::string>& parts = url.segments;
  if (parts.size() == 2 && parts[1] == "v2") return openapi_v2(request, resources, remote);
  if (parts.size() < 2 || parts[1] != "v3") return page_not_found();
  const std::shared_ptr<const OpenApi> documents = openapi(resources);
  if (parts.size() == 2) {
    if (remote.versions.empty()) {
      return tagged(request, documents->index + '\n', "application/json");
    }
    Json index = json_literal(documents->index);
    merge_openapi_index(index, remote);
    return tagged(request, to_text(index) + '\n', "application/json");
  }
  const auto document = documents->texts.find(document_name(url));
  if (document == documents->texts.end()) return page_not_found();
  if (!takes_json(request)) return nothing_acceptable();
  return tagged(request, document->second + '\n', "application/json");
}

HttpServerResponse Documents::openapi_v2(const HttpServerRequest& request,
                                         const std::shared_ptr<const ResourceSet>& resources,
                                         const RemoteApis& remote) {
  const std::optional<OpenApiV2Form> form = negotiate_openapi_v2(request.header("Accept"));
  if (!form) return nothing_acceptable();
  const std::shared_ptr<const OpenApiV2> documents = openapi_v2(resources, remote);
  return *form == OpenApiV2Form::kJson
             ? tagged(request, documents->json, "application/json")
             : tagged(request, documents->protobuf, std::string(kOpenApiV2Type));
}

std::shared_ptr<const Documents::OpenApiV2> Documents::openapi_v2(
    const std::shared_ptr<const ResourceSet>& resources, const RemoteApis& remote) {
  std::vector<std::shared_ptr<const Json>> others = openapi_v2_of(remote);
  {
    MutexLock lock(mutex_);
    const bool is_current = openapi_v2_ != nullptr && openapi_v2_->of == resources;
    if (is_current && openapi_v2_->others == others) return openapi_v2_;
  }
  auto made = std::make_shared<OpenApiV2>();
  Json document = document_v2(*resources);
  for (const std::shared_ptr<const Json>& each : others) merge_openapi(document, *each);
  made->of = resources;
  made->others = std::move(others);
  made->json = to_text(document) + '\n';
  made->protobuf = openapi_v2_protobuf(document);
  MutexLock lock(mutex_);
  openapi_v2_ = made;
  return made;
}

std::shared_ptr<const Documents::OpenApi> Documents::openapi(
    const std::shared_ptr<const ResourceSet>& resources) {
  {
    MutexLock lock(mutex_);
    if (openapi_ != nullptr && openapi_->of == resources) return openapi_;
  }
  auto made = std::make_shared<OpenApi>();
  made->of = resources;
  const Descriptions descriptions;
  std::vector<std::pair<std::string, std::string>> hashes;
  for (const std::string& version : api_versions_of(resources->all())) {
    std::string text = to_text(
        openapi_document(resources->all(), version, openapi_schemas(version, descriptions)));
    hashes.emplace_back(version, content_hash(text));
    made->texts.emplace(openapi_path(version), std::move(text));
  }
  made->index = to_text(openapi_index(hashes));
  MutexLock lock(mutex_);
  openapi_ = made;
  return made;
}

}  // namespace davit::sandbox
