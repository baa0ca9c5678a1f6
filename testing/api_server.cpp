#include "sandbox/server/api_server.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <davit/testing/api_server.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "host/api/abi_request.hpp"
#include "host/api/api_status.hpp"
#include "host/api/request_builder.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"
#include "lib/base/silent_log_sink.hpp"
#include "lib/base/uuid.hpp"
#include "sandbox/patch/patch.hpp"
#include "sandbox/rest/convert.hpp"
#include "sandbox/rest/decode.hpp"
#include "sandbox/rest/field_selector.hpp"
#include "sandbox/rest/label_selector.hpp"
#include "sandbox/rest/meta.hpp"
#include "sandbox/rest/write.hpp"

namespace davit::testing {

namespace {

using sandbox::ResourcePtr;
using Tree = davit::Json;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "testing::ApiServer: %s\n", why.c_str());
  std::abort();
}

/// The test's time as the server reads it.
class TestClock final : public davit::Clock {
 public:
  explicit TestClock(std::function<WallTime()> now) : now_(std::move(now)) {}

  [[nodiscard]] davit::Time now() const override { return davit::Time(now_().time_since_epoch()); }
  [[nodiscard]] WallTime wall_now() const override { return now_(); }
  void wait_until(CondVar&, Mutex&, davit::Time) override {
    fail("the server waits, although it has no thread");
  }

 private:
  const std::function<WallTime()> now_;
};

struct CollectedChange {
  sandbox::Collection collection;
  sandbox::Change change;
};

/// Collects all changes of a store in their order.
class ChangeLog final : public sandbox::Journal {
 public:
  [[nodiscard]] Status append(const sandbox::Collection& collection,
                              const sandbox::Change& change) override {
    changes_.push_back({collection, change});
    return {};
  }
  void after_write() override {}
  [[nodiscard]] std::vector<CollectedChange> take() { return std::exchange(changes_, {}); }

 private:
  std::vector<CollectedChange> changes_;
};

std::int32_t event_type(sandbox::ChangeType type) {
  switch (type) {
    case sandbox::ChangeType::kAdded:
      return DAVIT_EVENT_ADDED;
    case sandbox::ChangeType::kModified:
      return DAVIT_EVENT_UPDATED;
    case sandbox::ChangeType::kDeleted:
      break;
  }
  return DAVIT_EVENT_DELETED;
}

host::ApiRequest to_api_request(const Request& from) {
  host::ApiRequest to;
  to.verb = host::api_verb(from.verb);
  to.path = {std::string(from.resource.group),
             std::string(from.resource.version),
             std::string(from.resource.resource),
             from.subresource,
             from.ns,
             from.name};
  to.body = from.body;
  to.query = from.query;
  to.patch_type = host::api_patch(static_cast<std::int32_t>(from.patch_type));
  to.delete_options = {host::api_propagation(static_cast<std::int32_t>(from.deletion.propagation)),
                       from.deletion.grace_seconds, from.deletion.uid,
                       from.deletion.resource_version};
  return to;
}

/// A response as the host reads it.
ApiReply to_reply(const host::ApiRequest& request, int http_status, std::string_view content_type,
                  const std::string& body) {
  ApiReply reply;
  reply.http_status = http_status;
  const Status status =
      host::decode_response(request, {http_status, content_type, std::nullopt}, body);
  reply.code = static_cast<davit_code>(status.code());
  reply.message = status.message();
  if (const ApiDetail* detail = status.detail()) {
    reply.reason = detail->reason;
    reply.causes = detail->causes;
    reply.retry_after_ms = detail->retry_after_ms;
  }
  if (!status.ok()) return reply;
  Result<Json> object = Json::parse(body);
  if (!object) fail("a response that is not JSON: " + object.error().message());
  if (Json* metadata = object->find("metadata")) metadata->erase("managedFields");
  reply.object = std::move(*object);
  return reply;
}

/// What was stored, as caches have it.
Json to_json(const std::string& text) {
  Json json = Json::must(text);
  json["metadata"].erase("managedFields");
  return json;
}

/// "WebApp" → "webapps".
std::string plural_of(std::string_view kind) {
  std::string plural;
  for (const char c : kind) {
    plural.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  if (plural.ends_with("s")) return plural + "es";
  if (plural.ends_with("y")) return plural.substr(0, plural.size() - 1) + "ies";
  return plural + "s";
}

/// A definition of the kind of `object`, whose objects may have any content.
std::string definition_of(const Tree& object) {
  const std::string& api_version = object.get("apiVersion").text();
  const std::size_t slash = api_version.find('/');
  const std::string& kind = object.get("kind").text();
  if (slash == std::string::npos || kind.empty()) {
    fail("no such kind: apiVersion \"" + api_version + "\", kind \"" + kind + "\"");
  }
  const std::string group = api_version.substr(0, slash);
  const std::string plural = plural_of(kind);
  const bool namespaced = !object.text_at({"metadata", "namespace"}).empty();
  Tree version = json_literal(R"({"served":true,"storage":true,
      "subresources":{"status":{}},"schema":{"openAPIV3Schema":{
          "type":"object","x-kubernetes-preserve-unknown-fields":true}}})");
  version.set("name", api_version.substr(slash + 1));
  Tree names = Tree::object({{"plural", plural}, {"kind", kind}});
  Tree spec = Tree::object({{"group", group},
                            {"names", std::move(names)},
                            {"scope", namespaced ? "Namespaced" : "Cluster"},
                            {"versions", Tree::array({std::move(version)})}});
  return davit::to_text(Tree::object({{"apiVersion", "apiextensions.k8s.io/v1"},
                                      {"kind", "CustomResourceDefinition"},
                                      {"metadata", Tree::object({{"name", plural + "." + group}})},
                                      {"spec", std::move(spec)}}));
}

}  // namespace

class ApiServer::Engine {
 public:
  Engine(const ObjectSpace& space, std::function<WallTime()> now,
         std::function<void(const WatchChange&)> watch)
      : space_(space), watch_(std::move(watch)), clock_(std::move(now)) {
    sandbox::ApiServerOptions options;
    options.bootstrap = sandbox::BootstrapObjects::kMinimal;
    auto server =
        sandbox::ApiServer::open({store_, clock_, *random_, Logger(log_)}, std::move(options));
    if (!server) fail(server.error().message());
    server_ = std::move(*server);
    publish();
  }

  [[nodiscard]] ApiReply handle(const Request& request) {
    const host::ApiRequest outgoing = without_dropped(to_api_request(request));
    const Result<HttpRequest> http = host::build_request(outgoing, "davit-test");
    if (!http) {
      ApiReply reply;
      reply.http_status = 0;
      reply.code = static_cast<davit_code>(http.error().code());
      reply.message = http.error().message();
      return reply;
    }
    const sandbox::Revision before = store_.revision();
    const HttpServerResponse response = send(http->method, http->target, http->headers, http->body);
    ApiReply reply = to_reply(outgoing, response.status, response.content_type, response.body);
    if (store_.revision() != before) reply.version = static_cast<std::int64_t>(store_.revision());
    publish();
    return reply;
  }

  [[nodiscard]] RawReply exchange(const RawRequest& request) {
    constexpr std::size_t kReadMax = std::size_t{1} << 30;  // All that there is.
    HttpServerResponse response =
        send(request.method, request.target, request.headers, request.body);
    publish();
    RawReply reply{response.status, std::move(response.headers), std::move(response.body)};
    reply.headers.emplace_back("Content-Type", response.content_type);
    if (response.stream) static_cast<void>(response.stream->read(reply.body, kReadMax));
    return reply;
  }

  [[nodiscard]] const Objects& objects(std::string_view resource) const {
    const auto found = objects_.find(resource);
    return found == objects_.end() ? none_ : found->second;
  }
  [[nodiscard]] std::int64_t version() const {
    return static_cast<std::int64_t>(store_.revision());
  }

  /// Null when it is not served.
  [[nodiscard]] ResourcePtr find(std::string_view resource) const {
    const std::size_t dot = resource.find('.');
    const std::string_view name = resource.substr(0, dot);
    for (const ResourcePtr& each : server_->resources()->all()) {
      if (each->name != name) continue;
      if (dot == std::string_view::npos || each->group == resource.substr(dot + 1)) return each;
    }
    return nullptr;
  }
  [[nodiscard]] bool serves(const Resource& resource) const {
    return server_->resources()->find(std::string(resource.group), std::string(resource.version),
                                      std::string(resource.resource)) != nullptr;
  }
  [[nodiscard]] bool selects(std::string_view resource, const Json& object,
                             const Selectors& selectors) const {
    if (selectors.label.empty() && selectors.field.empty()) return true;
    const ResourcePtr served = find(resource);
    const auto labels = sandbox::LabelSelector::parse(selectors.label);
    if (served == nullptr || !labels) return false;
    const auto fields = sandbox::FieldSelector::parse(selectors.field, *served);
    const sandbox::VersionPtr stored =
        sandbox::unstored(json_literal(object.dump()), *served, *server_->resources());
    return fields && labels->matches(stored->labels) && fields->matches(*stored);
  }

  DocumentPtr put(const Json& given) {
    Tree object = json_literal(given.dump());
    const ResourcePtr resource = resource_of(object);
    const Key key = key_of(given);
    if (resource->name == "customresourcedefinitions") return define(given.dump()), nullptr;
    if (!key.ns.empty()) ensure_namespace(key.ns);
    const sandbox::VersionPtr present = store_.get(resource->collection, key.ns, key.name);
    object = in_form(*resource, std::move(object));
    complete(*resource, object);
    if (present != nullptr) {
      const Tree old = sandbox::load(*present, *resource);
      replace(object, old);
      sandbox::update_generation(object, old, *resource);
      if (object == old) return objects(resource->qualified_name()).at(key);
    }
    sandbox::Draft draft = sandbox::make_draft(std::move(object), *resource, *server_->resources());
    const auto stored = present == nullptr ? store_.create(resource->collection, std::move(draft))
                                           : store_.update(resource->collection, std::move(draft),
                                                           present->revision);
    if (!stored) fail(stored.error().message());
    publish();
    return objects(resource->qualified_name()).at(key);
  }

  bool erase(std::string_view resource, const Key& key) {
    const ResourcePtr served = find(resource);
    if (served == nullptr) return false;
    const sandbox::VersionPtr present = store_.get(served->collection, key.ns, key.name);
    if (present == nullptr) return false;
    const auto removed = store_.remove(
        served->collection,
        sandbox::make_draft(sandbox::load(*present, *served), *served, *server_->resources()),
        present->revision);
    if (!removed) fail(removed.error().message());
    publish();
    return true;
  }

  void drop_status_field(std::string_view resource, std::string_view field) {
    dropped_.emplace(resource, field);
  }
  void keep_status_field(std::string_view resource, std::string_view field) {
    dropped_.erase({std::string(resource), std::string(field)});
  }

 private:
  /// Brings what changed into objects_, and reports it.
  void publish() {
    const std::shared_ptr<const sandbox::ResourceSet> served = server_->resources();
    for (const CollectedChange& each : changes_.take()) {
      std::set<std::string> groups;  // Events have two; the versions of a group share a form here.
      for (const ResourcePtr& resource : served->sharing(each.collection)) {
        if (groups.insert(resource->group).second) publish(*resource, each.change);
      }
    }
  }
  void publish(const sandbox::Resource& resource, const sandbox::Change& change) {
    const std::string name = resource.qualified_name();
    const Key key{change.object->ns, change.object->name};
    const std::int32_t type = event_type(change.type);
    auto document = std::make_shared<const Document>(
        space_, to_json(sandbox::load_text(*change.object, resource)));
    if (type == DAVIT_EVENT_DELETED) {
      objects_[name].erase(key);
    } else {
      objects_[name][key] = document;
    }
    watch_({name, type, std::move(document), static_cast<std::int64_t>(change.object->revision)});
  }

  [[nodiscard]] HttpServerResponse send(std::string method, std::string target, HttpHeaders headers,
                                        std::string body) {
    HttpServerRequest request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.headers = std::move(headers);
    request.body_too_large = body.size() > sandbox::kBodyBytesMax;
    if (!request.body_too_large) request.body = std::move(body);
    return server_->handle(request);
  }

  [[nodiscard]] ResourcePtr resource_of(const Tree& object) {
    const std::string& version = object.get("apiVersion").text();
    const std::string& kind = object.get("kind").text();
    if (ResourcePtr served = server_->resources()->find_kind(version, kind)) return served;
    define(definition_of(object));
    return server_->resources()->find_kind(version, kind);
  }
  void define(std::string definition) {
    const HttpServerResponse response =
        send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
             {{"Content-Type", "application/json"}}, std::move(definition));
    if (response.status != 201) fail(response.body);
    publish();
  }
  void ensure_namespace(const std::string& name) {
    if (store_.get({"", "namespaces"}, "", name) != nullptr) return;
    Json ns = Json::object();
    ns["apiVersion"] = "v1";
    ns["kind"] = "Namespace";
    ns["metadata"]["name"] = name;
    ns["status"]["phase"] = "Active";
    put(ns);
  }

  /// `object` in the API's form with its defaults; as it is when it does not fit the schema.
  static Tree in_form(const sandbox::Resource& resource, Tree object) {
    Tree formed = object;
    std::vector<std::string> warnings;
    if (sandbox::conform_body(formed, sandbox::BodyType::of(resource),
                              sandbox::FieldValidation::kIgnore, {}, warnings)) {
      return object;
    }
    if (resource.rules != nullptr) resource.rules->set_defaults(formed);
    return formed;
  }
  /// What the server sets and the object lacks.
  void complete(const sandbox::Resource& resource, Tree& object) {
    Tree& metadata = object["metadata"];
    const auto set_missing = [&metadata](std::string_view member, Tree value) {
      if (!metadata.contains(member)) metadata.set(member, std::move(value));
    };
    set_missing("uid", random_uuid(*random_));
    set_missing("creationTimestamp", sandbox::time_text(clock_));
    if (resource.has_generation) set_missing("generation", 1);
  }

  /// What the test did not see of the object that it replaces.
  static void replace(Tree& object, const Tree& old) {
    for (const std::string_view member : {"resourceVersion", "managedFields"}) {
      const Tree* kept = old.at({"metadata", member});
      if (kept != nullptr) object["metadata"].set(member, *kept);
    }
  }

  /// Removes the status fields given to drop_status_field(), unless the stored object has them.
  [[nodiscard]] host::ApiRequest without_dropped(host::ApiRequest request) const {
    if (request.path.subresource != "status" || dropped_.empty()) return request;
    Result<Tree> body = parse_json(request.body);
    const ResourcePtr served = find(qualified(request.path.group, request.path.resource));
    if (!body || served == nullptr) return request;
    const sandbox::VersionPtr present =
        store_.get(served->collection, request.path.ns, request.path.name);
    for (const auto& [resource, field] : dropped_) {
      Tree* status = resource == request.path.resource ? body->find("status") : nullptr;
      const bool has_it = present != nullptr && present->json().at({"status", field}) != nullptr;
      if (status != nullptr && !has_it) status->erase(field);
    }
    request.body = davit::to_text(*body);
    return request;
  }

  const ObjectSpace& space_;
  const std::function<void(const WatchChange&)> watch_;
  TestClock clock_;
  SilentLogSink log_;  // Failures come with responses.
  ChangeLog changes_;
  const std::unique_ptr<Random> random_ = make_seeded_random(1);
  sandbox::Store store_{clock_, {}, &changes_};
  std::unique_ptr<sandbox::ApiServer> server_;
  std::map<std::string, Objects, std::less<>> objects_;
  std::set<std::pair<std::string, std::string>> dropped_;  // Resources with fields of their status.
  const Objects none_;
};

ApiServer::ApiServer(const ObjectSpace& space, std::function<WallTime()> now,
                     std::function<void(const WatchChange&)> watch)
    : engine_(std::make_unique<Engine>(space, std::move(now), std::move(watch))) {}
ApiServer::~ApiServer() = default;

ApiReply ApiServer::handle(const Request& request) { return engine_->handle(request); }
RawReply ApiServer::exchange(const RawRequest& request) { return engine_->exchange(request); }
const ApiServer::Objects& ApiServer::objects(std::string_view resource) const {
  return engine_->objects(resource);
}
std::int64_t ApiServer::version() const { return engine_->version(); }
std::string ApiServer::qualified_name(std::string_view resource) const {
  const ResourcePtr served = engine_->find(resource);
  return served == nullptr ? std::string(resource) : served->qualified_name();
}
bool ApiServer::serves(const Resource& resource) const { return engine_->serves(resource); }
bool ApiServer::selects(std::string_view resource, const Json& object,
                        const Selectors& selectors) const {
  return engine_->selects(resource, object, selectors);
}
DocumentPtr ApiServer::put(Json object) { return engine_->put(object); }
bool ApiServer::erase(std::string_view resource, const Key& key) {
  return engine_->erase(resource, key);
}
void ApiServer::drop_status_field(std::string_view resource, std::string_view field) {
  engine_->drop_status_field(resource, field);
}
void ApiServer::keep_status_field(std::string_view resource, std::string_view field) {
  engine_->keep_status_field(resource, field);
}

ApiReply ApiReply::failure(int http_status, std::string_view reason, std::string_view message,
                           std::vector<std::string> causes) {
  if (http_status == 0) {
    ApiReply reply;
    reply.http_status = 0;
    reply.code = DAVIT_UNAVAILABLE;
    reply.message = message;
    return reply;
  }
  Tree status = Tree::object({{"kind", "Status"},
                              {"apiVersion", "v1"},
                              {"status", "Failure"},
                              {"message", message},
                              {"reason", reason},
                              {"code", http_status}});
  for (const std::string& each : causes) {
    status["details"]["causes"].push_back(Tree::object({{"reason", each}}));
  }
  return to_reply({}, http_status, "application/json", davit::to_text(status));
}

void merge_patch(Json& target, const Json& patch) {
  Tree tree = json_literal(target.dump());
  static_cast<void>(sandbox::apply_merge_patch(tree, json_literal(patch.dump())));
  target = Json::must(davit::to_text(tree));
}

}  // namespace davit::testing
