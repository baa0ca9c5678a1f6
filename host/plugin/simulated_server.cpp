#include "host/plugin/simulated_server.hpp"

#include <string_view>
#include <utility>

#include "host/api/request_builder.hpp"
#include "host/object/api_status.hpp"
#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

ApiResponse refused(int http_status, const char* reason, const std::string& message) {
  ApiResponse response;
  response.http_status = http_status;
  response.status = api_status(JsonText('{')
                                   .text("kind", "Status")
                                   .text("apiVersion", "v1")
                                   .text("status", "Failure")
                                   .text("reason", reason)
                                   .text("message", message)
                                   .number("code", http_status)
                                   .str());
  return response;
}

ApiResponse granted(int http_status, std::string body) {
  ApiResponse response;
  response.http_status = http_status;
  response.body = std::move(body);
  return response;
}

/// The created object as the server would send it: with a name, a UID and a version.
std::string created(const ApiRequest& request, Value body, const std::string& unique) {
  const Value asked = body["metadata"];
  std::string name(asked["name"].string());
  if (name.empty()) name = std::string(asked["generateName"].string()) + unique;
  JsonText metadata('{');
  asked.each_member([&](std::string_view key, Value value) {
    if (key != "name" && key != "namespace") metadata.raw(key, value.json());
  });
  metadata.text("name", name);
  if (!request.path.ns.empty()) metadata.text("namespace", request.path.ns);
  metadata.text("uid", "shadow-" + unique).text("resourceVersion", "0").number("generation", 1);
  JsonText object('{');
  body.each_member([&](std::string_view key, Value value) {
    if (key != "metadata") object.raw(key, value.json());
  });
  return object.raw("metadata", metadata.str()).str();
}

}  // namespace

ApiResponse simulate(const ApiRequest& request, const std::string& name, const ObjectRef& body,
                     const CacheView& view, Random& random) {
  // A create of a subresource, as an eviction is, is about an object that is there.
  const bool creates = request.verb == Verb::kCreate && request.path.subresource.empty();
  const std::string what = request.path.resource + " \"" + name + "\"";
  if (creates) {
    if (view.object) return refused(409, "AlreadyExists", what + " already exists");
    if (!body) return refused(400, "BadRequest", "the body is not an object");
    return granted(201, created(request, body.root(), std::to_string(random.next())));
  }
  if (!view.object && view.cache == CacheView::Cache::kSees) {
    return refused(404, "NotFound", what + " not found");
  }
  if (is_delete(request.verb) || request.verb == Verb::kCreate) {
    return granted(200, R"({"kind":"Status","apiVersion":"v1","status":"Success"})");
  }
  if (request.verb == Verb::kUpdate) return granted(200, request.body);
  // As it is, without the patch: a controller that reads on reads it from the cache.
  std::string present = view.object ? view.object.root().json() : std::string();
  if (present.empty()) {
    present = JsonText('{')
                  .raw("metadata", JsonText('{')
                                       .text("name", request.path.name)
                                       .text("namespace", request.path.ns)
                                       .text("resourceVersion", "0")
                                       .str())
                  .str();
  }
  return granted(200, std::move(present));
}

}  // namespace davit::host
