#include "tests/live/conformance/tool_server.hpp"

#include <chrono>
#include <cstdlib>
#include <davit/base64.hpp>
#include <utility>

#include "lib/kube/patch/patch.hpp"
#include "lib/net/query.hpp"
#include "tests/live/support/process.hpp"

namespace davit::live {
namespace {

constexpr std::string_view kVersionPath = "/apis/tools.example.com/v1";
constexpr std::string_view kHammersPath = "/apis/tools.example.com/v1/namespaces/default/hammers";

constexpr const char* kResources = R"({"kind":"APIResourceList","apiVersion":"v1",
  "groupVersion":"tools.example.com/v1","resources":[{"name":"hammers","singularName":"hammer",
  "namespaced":true,"kind":"Hammer","shortNames":["ha"],"categories":["tools"],
  "verbs":["create","delete","get","list","patch","watch"]}]})";

/// The definitions collide with those of the API server on purpose: ObjectMeta is another one.
constexpr const char* kOpenApiV2 =
    R"({"swagger":"2.0","info":{"title":"Tools","version":"1"},"paths":{
  "/apis/tools.example.com/v1/namespaces/{namespace}/hammers/{name}":{"patch":{
  "operationId":"patchHammer","consumes":["application/merge-patch+json"],"parameters":[{
  "name":"dryRun","in":"query","type":"string","uniqueItems":true},{"name":
  "fieldValidation","in":"query","type":"string","uniqueItems":true}],"responses":{"200":{
  "description":"OK","schema":{"$ref":"#/definitions/com.example.tools.v1.Hammer"}}},
  "x-kubernetes-group-version-kind":{"group":"tools.example.com","kind":"Hammer",
  "version":"v1"}}},"/apis/other.example.com/v1/saws":{"get":{"operationId":"listSaws",
  "responses":{"200":{"description":"OK","schema":{"$ref":
  "#/definitions/com.example.other.v1.Saw"}}}}}},"definitions":{
  "com.example.other.v1.Saw":{"type":"object"},"com.example.tools.v1.Hammer":{
  "description":"A tool.","type":"object","properties":{"apiVersion":{"type":"string"},
  "kind":{"type":"string"},"metadata":{"$ref":
  "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"},"spec":{"type":
  "object","properties":{"grams":{"type":"integer","format":"int32"}}}},
  "x-kubernetes-group-version-kind":[{"group":"tools.example.com","kind":"Hammer",
  "version":"v1"}]},"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta":{"description":
  "Of tools.","type":"object"}}})";

constexpr const char* kOpenApiV3 =
    R"({"openapi":"3.0.0","info":{"title":"Tools","version":"1"},"paths":{
  "/apis/tools.example.com/v1/namespaces/{namespace}/hammers/{name}":{"patch":{
  "operationId":"patchHammer","parameters":[{"name":"dryRun","in":"query","schema":{
  "type":"string","uniqueItems":true}},{"name":"fieldValidation","in":"query","schema":{
  "type":"string","uniqueItems":true}}],"responses":{},"x-kubernetes-action":"patch",
  "x-kubernetes-group-version-kind":{"group":"tools.example.com","kind":"Hammer",
  "version":"v1"}}}},"components":{"schemas":{"com.example.tools.v1.Hammer":{"type":
  "object","properties":{"apiVersion":{"type":"string"},"kind":{"type":"string"},
  "metadata":{"type":"object"},"spec":{"type":"object","properties":{"grams":{"type":
  "integer","format":"int32"}}}},"x-kubernetes-group-version-kind":[{"group":
  "tools.example.com","kind":"Hammer","version":"v1"}]}}}})";

HttpServerResponse failure(int code, const char* reason, const std::string& message) {
  return json_response(code, to_text(Json::object({{"kind", "Status"},
                                                   {"apiVersion", "v1"},
                                                   {"metadata", Json::object()},
                                                   {"status", "Failure"},
                                                   {"message", message},
                                                   {"reason", reason},
                                                   {"code", code}})));
}

}  // namespace

/// The events from a position on. Has no end.
class ToolServer::Watch final : public HttpBodyStream {
 public:
  Watch(std::shared_ptr<Hammers> hammers, std::size_t position)
      : hammers_(std::move(hammers)), position_(position) {}

  [[nodiscard]] State read(std::string& out, std::size_t) override {
    MutexLock lock(hammers_->mutex);
    for (; position_ < hammers_->events.size(); ++position_) out += hammers_->events[position_];
    next_ = clock_->now() + std::chrono::milliseconds(50);
    return State::kOpen;
  }
  void on_ready(std::function<void()>) override {}
  [[nodiscard]] Time next_read() const override { return next_; }

 private:
  const std::shared_ptr<Hammers> hammers_;
  const std::unique_ptr<Clock> clock_ = make_system_clock();
  std::size_t position_;
  Time next_{};
};

ToolServer::ToolServer() {
  const WallTime now =
      std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
  const Result<KeyPair> authority = make_authority("tools", now);
  if (!authority) give_up(authority.error().message());
  authority_ = authority->certificate;
  Result<KeyPair> own = issue_certificate(
      *authority,
      {.common_name = "tools", .use = CertificateUse::kServer, .dns_names = {"tools.default.svc"}},
      now);
  if (!own) give_up(own.error().message());
  HttpServerOptions options;
  options.tls = TlsIdentity{.certificate = std::move(own->certificate), .key = std::move(own->key)};
  Result<std::unique_ptr<HttpServer>> opened = HttpServer::open(
      options, [this](const HttpServerRequest& request) { return respond(request); }, Logger(log_));
  if (!opened) give_up("the server of tools: " + opened.error().message());
  server_ = std::move(*opened);
}

ToolServer::~ToolServer() = default;

std::string ToolServer::manifest() const {
  const std::string port = std::to_string(server_->port());
  return R"({"kind":"List","apiVersion":"v1","items":[{"kind":"Service","apiVersion":"v1",
      "metadata":{"name":"tools","namespace":"default"},"spec":{"type":"ExternalName",
      "externalName":"localhost","ports":[{"port":)" +
         port + R"(}]}},{"kind":"APIService","apiVersion":"apiregistration.k8s.io/v1",
      "metadata":{"name":"v1.tools.example.com"},"spec":{"group":"tools.example.com",
      "version":"v1","groupPriorityMinimum":1000,"versionPriority":10,"caBundle":")" +
         encode_base64(authority_) +
         R"(","service":{"namespace":"default","name":"tools","port":)" + port + "}}}]}";
}

std::vector<std::string> ToolServer::last_headers() const {
  MutexLock lock(hammers_->mutex);
  return hammers_->headers;
}

HttpServerResponse ToolServer::respond(const HttpServerRequest& request) {
  const std::string path(request.path());
  if (path == kVersionPath) return json_response(200, kResources);
  if (path == "/openapi/v2") return json_response(200, kOpenApiV2);
  if (path == "/openapi/v3") {
    return json_response(200, R"({"paths":{"apis/tools.example.com/v1":{"serverRelativeURL":
        "/openapi/v3/apis/tools.example.com/v1?hash=1"}}})");
  }
  if (path == "/openapi/v3" + std::string(kVersionPath)) return json_response(200, kOpenApiV3);
  if (!path.starts_with(kHammersPath)) return failure(404, "NotFound", "there is no " + path);
  {
    MutexLock lock(hammers_->mutex);
    hammers_->headers.clear();
    for (const auto& [name, value] : request.headers) {
      hammers_->headers.push_back(name + '=' + value);
    }
  }
  if (path != kHammersPath) return change(request, path.substr(kHammersPath.size() + 1));
  return request.method == "POST" ? create(request) : list(request);
}

HttpServerResponse ToolServer::list(const HttpServerRequest& request) const {
  MutexLock lock(hammers_->mutex);
  if (request.query().find("watch=") != std::string_view::npos) {
    HttpServerResponse out;
    out.content_type = kJsonText;
    // Each revision is one event.
    std::size_t position = 0;
    for (const auto& [key, value] : parse_query(request.query())) {
      if (key == "resourceVersion") position = std::strtoul(value.c_str(), nullptr, 10);
    }
    out.stream = std::make_unique<Watch>(hammers_, position);
    return out;
  }
  Json items = Json::array();
  for (const auto& [name, hammer] : hammers_->by_name) items.push_back(hammer);
  return json_response(
      200,
      to_text(Json::object(
          {{"kind", "HammerList"},
           {"apiVersion", "tools.example.com/v1"},
           {"metadata", Json::object({{"resourceVersion", std::to_string(hammers_->revision)}})},
           {"items", std::move(items)}})));
}

HttpServerResponse ToolServer::create(const HttpServerRequest& request) {
  Result<Json> hammer = parse_json(request.body);
  if (!hammer) return failure(400, "BadRequest", hammer.error().message());
  const std::string name = hammer->text_at({"metadata", "name"});
  MutexLock lock(hammers_->mutex);
  if (hammers_->by_name.contains(name)) {
    return failure(409, "AlreadyExists", "hammers \"" + name + "\" already exists");
  }
  (*hammer)["metadata"].set("uid", "00000000-0000-0000-0000-00000000000" + name);
  (*hammer)["metadata"].set("creationTimestamp", "2026-01-01T00:00:00Z");
  (*hammer)["metadata"].set("resourceVersion", std::to_string(++hammers_->revision));
  hammers_->by_name[name] = *hammer;
  hammers_->events.push_back(R"({"type":"ADDED","object":)" + to_text(*hammer) + "}\n");
  return json_response(201, to_text(*hammer));
}

HttpServerResponse ToolServer::change(const HttpServerRequest& request, const std::string& name) {
  MutexLock lock(hammers_->mutex);
  const auto found = hammers_->by_name.find(name);
  if (found == hammers_->by_name.end()) {
    return failure(404, "NotFound", "hammers \"" + name + "\" not found");
  }
  Json& hammer = found->second;
  if (request.method == "GET") return json_response(200, to_text(hammer));
  const char* type = "MODIFIED";
  if (request.method == "PATCH") {
    const Result<Json> patch = parse_json(request.body);
    if (!patch) return failure(400, "BadRequest", patch.error().message());
    if (const PatchOutcome failed = apply_merge_patch(hammer, *patch)) {
      return failure(422, "Invalid", failed->message);
    }
  } else if (request.method == "DELETE") {
    type = "DELETED";
  } else {
    return failure(405, "MethodNotAllowed", "the server does not allow this method");
  }
  hammer["metadata"].set("resourceVersion", std::to_string(++hammers_->revision));
  const Json shown = hammer;
  hammers_->events.push_back(std::string(R"({"type":")") + type + R"(","object":)" +
                             to_text(shown) + "}\n");
  if (request.method == "DELETE") hammers_->by_name.erase(found);
  return json_response(200, to_text(shown));
}

}  // namespace davit::live
