#include "sandbox/server/documents.hpp"

#include "sandbox/output/discovery.hpp"
#include "sandbox/output/openapi.hpp"
#include "sandbox/output/openapi_v2.hpp"
#include "sandbox/schema/schema.hpp"

namespace davit::sandbox {

namespace {

Response json_answer(std::string text) {
  Response response;
  response.body = std::move(text);
  response.body += '\n';
  return response;
}

/// 304 when the client has this very body.
Response tagged(const Request& request, std::string body, std::string type) {
  Response response;
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

ApiResult<Response> answer_root(const Request& request, const Url& url, const ResourceSet& set,
                                std::string_view server_address) {
  const ApiResult<DiscoveryForm> form = negotiate_discovery(request.header("Accept"));
  if (!form) return form.error();
  const bool core = url.segments[0] == "api";
  if (form->aggregated) {
    const DiscoveryRoot root = core ? DiscoveryRoot::kCore : DiscoveryRoot::kGroups;
    return tagged(request, to_text(aggregated_discovery(set.all(), root)) + '\n',
                  form->content_type);
  }
  return json_answer(to_text(core ? api_versions(server_address) : api_group_list(set.all())));
}

ApiResult<Response> found(const std::optional<Json>& document) {
  if (!document) return page_not_found();
  return json_answer(to_text(*document));
}

/// All kinds of all group versions, for the document of version 2.
Json all_schemas(const ResourceSet& set) {
  Json out = Json::object();
  for (const std::string& version : api_versions_of(set.all())) {
    Json schemas = openapi_schemas(version);
    for (Json::Member& each : schemas.make_object()) out.set(each.key, std::move(each.value));
  }
  return out;
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

ApiResult<Response> Documents::answer(const Request& request, const Url& url,
                                      std::shared_ptr<const ResourceSet> resources) {
  const std::vector<std::string>& parts = url.segments;
  if (parts[0] == "openapi") return answer_openapi(request, url, resources);
  const std::span<const ResourcePtr> all = resources->all();
  if (parts.size() == 1) return answer_root(request, url, *resources, server_address_);
  if (parts[0] == "api") return found(api_resource_list(all, "", parts[1]));
  if (parts.size() == 2) return found(api_group(all, parts[1]));
  return found(api_resource_list(all, parts[1], parts[2]));
}

ApiResult<Response> Documents::answer_openapi(const Request& request, const Url& url,
                                              const std::shared_ptr<const ResourceSet>& resources) {
  const std::vector<std::string>& parts = url.segments;
  if (parts.size() == 2 && parts[1] == "v2") {
    if (request.header("Accept").find(kOpenApiV2Type) == std::string_view::npos) {
      return not_acceptable("only " + std::string(kOpenApiV2Type) + " is served");
    }
    return tagged(request, openapi_v2_document(all_schemas(*resources), "v1.36.2"),
                  std::string(kOpenApiV2Type));
  }
  if (parts.size() < 2 || parts[1] != "v3") return page_not_found();
  const std::shared_ptr<const OpenApi> documents = openapi(resources);
  if (parts.size() == 2) return tagged(request, documents->index + '\n', "application/json");
  const auto document = documents->texts.find(document_name(url));
  if (document == documents->texts.end()) return page_not_found();
  return tagged(request, document->second + '\n', "application/json");
}

std::shared_ptr<const Documents::OpenApi> Documents::openapi(
    const std::shared_ptr<const ResourceSet>& resources) {
  {
    host::MutexLock lock(mutex_);
    if (openapi_ != nullptr && openapi_->of == resources) return openapi_;
  }
  auto made = std::make_shared<OpenApi>();
  made->of = resources;
  std::vector<std::pair<std::string, std::string>> hashes;
  for (const std::string& version : api_versions_of(resources->all())) {
    std::string text =
        to_text(openapi_document(resources->all(), version, openapi_schemas(version)));
    hashes.emplace_back(version, content_hash(text));
    made->texts.emplace(openapi_path(version), std::move(text));
  }
  made->index = to_text(openapi_index(hashes));
  host::MutexLock lock(mutex_);
  openapi_ = made;
  return made;
}

}  // namespace davit::sandbox
