/// ControllerHost beside another build of itself: what it means to write is collected, and what a
/// shadow means to write is answered here.
#include <algorithm>
#include <set>
#include <utility>

#include "host/object/api_status.hpp"
#include "host/object/parse.hpp"
#include "host/plugin/controller_host.hpp"
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

/// What the caches of this controller show of the object that a write is about.
struct ControllerHost::CacheView {
  enum class Cache { kBlind, kSees };
  Cache cache = Cache::kBlind;  // An informer of the whole collection would know the object.
  ObjectRef object;
};

ControllerHost::CacheView ControllerHost::look(const ResourcePath& path,
                                               std::string_view name) const {
  CacheView view;
  for (const std::unique_ptr<OpenedInformer>& opened : informers_) {
    if (opened->resource.group != path.group || opened->resource.resource != path.resource) {
      continue;
    }
    if (opened->informer == nullptr || name.empty()) continue;
    if (opened->label_selector.empty() && opened->field_selector.empty()) {
      view.cache = CacheView::Cache::kSees;
    }
    if (ObjectRef found = opened->informer->store().get(path.ns, name)) view.object = found;
  }
  return view;
}

std::optional<ApiResponse> ControllerHost::intend(const ApiRequest& request) {
  const IntendedWrites::Mode mode = writes_.mode();
  if (mode == IntendedWrites::Mode::kOff) return std::nullopt;
  ObjectRef body;
  if (request.verb == Verb::kCreate) {
    body = parse_object(services_.space, request.body).value_or(ObjectRef());
  }
  std::string name = request.path.name;
  const Value metadata = body.root()["metadata"];
  if (name.empty()) name = metadata["name"].string();
  const std::string prefix(metadata["generateName"].string());
  writes_.note(intended_write(request, name.empty() ? prefix + "*" : name), services_.clock.now());
  if (mode == IntendedWrites::Mode::kRecord) return std::nullopt;

  // A create of a subresource, as an eviction is, is about an object that is there.
  const bool creates = request.verb == Verb::kCreate && request.path.subresource.empty();
  const CacheView view = look(request.path, name);
  const std::string what = request.path.resource + " \"" + name + "\"";
  if (creates) {
    if (view.object) return refused(409, "AlreadyExists", what + " already exists");
    if (!body) return refused(400, "BadRequest", "the body is not an object");
    return granted(201, created(request, body.root(), std::to_string(services_.random.next())));
  }
  if (!view.object && view.cache == CacheView::Cache::kSees) {
    return refused(404, "NotFound", what + " not found");
  }
  if (request.verb == Verb::kDelete || request.verb == Verb::kCreate) {
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

std::size_t ControllerHost::mirror_keys(ControllerHost& serving) {
  std::size_t keys = 0;
  std::set<const HostedQueue*> taken;
  for (const std::unique_ptr<HostedQueue>& own : hosted_queues_) {
    const auto other = std::find_if(
        serving.hosted_queues_.begin(), serving.hosted_queues_.end(),
        [&](const auto& each) { return each->name == own->name && !taken.contains(each.get()); });
    if (other == serving.hosted_queues_.end()) continue;
    taken.insert(other->get());
    QueueContent content = runner_->take_content(own->id);
    keys += content.waiting().size();
    for (const auto* each : content.waiting()) {
      (void)serving.runner_->add((*other)->id, QueueKey{each->first, each->second.shard});
    }
    runner_->adopt(own->id, content);
  }
  return keys;
}

}  // namespace davit::host
