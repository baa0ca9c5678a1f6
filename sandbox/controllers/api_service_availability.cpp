#include "sandbox/controllers/api_service_availability.hpp"

#include <algorithm>
#include <chrono>
#include <davit/mutant.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/mutex.hpp"
#include "sandbox/aggregation/merged_openapi.hpp"
#include "sandbox/rest/meta.hpp"

namespace davit::sandbox {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The resync of AvailableConditionController.
constexpr Duration kCheckInterval = seconds(30);
/// Its back-off, with a first step that does not keep a processor busy.
constexpr Duration kFirstRetry = milliseconds(100);
/// Between two looks at a request in progress.
constexpr Duration kPollInterval = milliseconds(10);
/// The largest document that is read; those of v1.36 with all groups have 3 MiB.
constexpr std::size_t kDocumentBytesMax = std::size_t{16} << 20U;

/// One probe that succeeds is enough: a busy server may miss some.
constexpr std::size_t kProbes = 5;

/// The user of requests for a server's health and discovery.
UserInfo aggregator() {
  UserInfo out;
  out.name = "system:kube-aggregator";
  out.groups.emplace_back(kMastersGroup);
  return out;
}

/// The user of requests for its OpenAPI documents.
UserInfo document_reader() {
  UserInfo out;
  out.name = "system:aggregator";
  return out;
}

constexpr const char* kAggregatedTypes =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

bool is_registration(const Collection& collection) { return collection == kApiServices; }

Duration retry_after(int failures) {
  Duration out = kFirstRetry;
  for (int i = 1; i < failures && out < kCheckInterval; ++i) out *= 2;
  return std::min<Duration>(out, kCheckInterval);
}

}  // namespace

/// One request and its response. Written on the transport's thread.
class ApiServiceAvailability::Fetch final : public ResponseReader {
 public:
  enum class Body : std::uint8_t { kRead, kIgnored };
  struct Reply {
    int status = 0;
    std::string content_type;
    std::string tag;
    std::string body;
    TransportEnd end;
  };

  Fetch(std::string url, Body body) : url_(std::move(url)), body_(body) {}

  void start(std::shared_ptr<Transport> transport, HttpRequest request) {
    transport_ = std::move(transport);
    call_ = transport_->start(std::move(request), *this);
  }
  void on_head(int status, const HttpHeaders& headers) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    reply_.status = status;
    for (const auto& [name, value] : headers) {
      if (name == "content-type") reply_.content_type = value;
      if (name == "etag") reply_.tag = value;
    }
  }
  Flow on_body(std::string_view chunk) override EXCLUDES(mutex_) {
    if (body_ == Body::kIgnored) return Flow::kEnough;
    MutexLock lock(mutex_);
    if (chunk.size() > kDocumentBytesMax - reply_.body.size()) {
      too_large_ = true;
      return Flow::kEnough;
    }
    reply_.body += chunk;
    return Flow::kMore;
  }
  void on_end(const TransportEnd& end) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    reply_.end = end;
    if (too_large_) reply_.end = {Break::kReader, "the response is larger than 16 MiB"};
    ended_ = true;
  }

  [[nodiscard]] bool ended() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return ended_ || (body_ == Body::kIgnored && reply_.status != 0);
  }
  /// After ended(): why the server is not healthy; empty: it is. The head decides.
  [[nodiscard]] std::string health_fault() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (reply_.status == 0) return "Get " + to_text(Json(url_)) + ": " + reply_.end.message;
    if (reply_.status >= 200 && reply_.status < 300) return "";
    return "bad status from " + url_ + ": " + std::to_string(reply_.status);
  }
  /// After ended().
  [[nodiscard]] Reply take_reply() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return std::move(reply_);
  }
  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  const std::string url_;
  const Body body_;
  std::shared_ptr<Transport> transport_;
  Mutex mutex_;
  Reply reply_ GUARDED_BY(mutex_);
  bool too_large_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;
  std::unique_ptr<davit::Call> call_;  // Last: its end may use all of the above.
};

ApiServiceAvailability::Tracked::Tracked() = default;
ApiServiceAvailability::Tracked::Tracked(Tracked&&) noexcept = default;
ApiServiceAvailability::Tracked::~Tracked() = default;

ApiServiceAvailability::ApiServiceAvailability(const ControllerParts& parts,
                                               Aggregation& aggregation)
    : parts_(parts),
      aggregation_(aggregation),
      writer_(parts_.server, parts_.clock, "apiservice-availability") {}
ApiServiceAvailability::~ApiServiceAvailability() = default;

void ApiServiceAvailability::on_relist(const Collection& collection) {
  changed_ = changed_ || is_registration(collection);
}

void ApiServiceAvailability::observe(const Collection& collection, const Change& change) {
  if (is_registration(collection)) {
    changed_ = true;
    const auto found = tracked_.find(change.object->name);
    if (found == tracked_.end()) return;
    // The condition that this has written changes nothing.
    const bool same = change.previous != nullptr && change.type == ChangeType::kModified &&
                      change.previous->json().get("spec") == change.object->json().get("spec");
    if (!same) found->second.changed = true;
    return;
  }
  const bool is_service = collection.group.empty() && collection.resource == "services";
  const bool is_slice =
      collection.group == "discovery.k8s.io" && collection.resource == "endpointslices";
  if (tracked_.empty() || (!is_service && !is_slice)) return;
  for (auto& [name, tracked] : tracked_) tracked.changed = true;
}

Time ApiServiceAvailability::act(Time now) {
  writer_.begin_round(now);
  if (std::exchange(changed_, false)) follow_services(now);
  const std::shared_ptr<const RegisteredServices> services = aggregation_.services();
  Time next = Time::max();
  for (auto& [name, tracked] : tracked_) {
    const auto service = services->find(name);
    if (service == services->end()) continue;  // Its change is still to be observed.
    if (tracked.step == Step::kIdle && std::exchange(tracked.changed, false)) tracked.due = now;
    if (tracked.step == Step::kIdle && tracked.due <= now) begin(service->second, tracked, now);
    while (tracked.step != Step::kIdle && has_ended(tracked)) {
      advance(service->second, tracked, now);
    }
    next = std::min(next, tracked.step == Step::kIdle ? tracked.due : now + kPollInterval);
  }
  if (changed_) next = std::min(next, now + writer_.retry_after());
  return std::min(next, writer_.next_round());
}

/// A probe that succeeds ends its step.
bool ApiServiceAvailability::has_ended(const Tracked& tracked) {
  const auto ended = [](const std::unique_ptr<Fetch>& each) { return each->ended(); };
  if (tracked.step != Step::kHealth) return ended(tracked.fetches.front());
  return std::ranges::all_of(tracked.fetches, ended) ||
         std::ranges::any_of(tracked.fetches, [&](const std::unique_ptr<Fetch>& each) {
           return ended(each) && each->health_fault().empty();
         });
}

void ApiServiceAvailability::follow_services(Time now) {
  const std::shared_ptr<const RegisteredServices> services = aggregation_.services();
  for (auto each = tracked_.begin(); each != tracked_.end();) {
    const auto found = services->find(each->first);
    const bool gone = found == services->end() || !found->second.remote;
    if (gone) aggregation_.learn(each->first, std::nullopt);
    each = gone ? tracked_.erase(each) : std::next(each);
  }
  for (const auto& [name, service] : *services) {
    if (service.remote) {
      const auto [at, is_new] = tracked_.try_emplace(name);
      if (is_new) at->second.due = now;
    } else if (!write(name, local_condition())) {
      changed_ = true;
    }
  }
}

void ApiServiceAvailability::begin(const RegisteredService& service, Tracked& tracked, Time now) {
  if (const auto condition = unreachable_condition(service, parts_.store)) {
    return fail(service, tracked, now, *condition);
  }
  send(service, tracked, now, Step::kHealth);
}

void ApiServiceAvailability::send(const RegisteredService& service, Tracked& tracked, Time now,
                                  Step step) {
  const bool is_probe = step == Step::kHealth;
  // A probe shows whether a server listens; requests of users also verify its certificate.
  const std::optional<BackendServer::Verify> verify =
      is_probe ? std::optional(BackendServer::Verify::kNo) : std::nullopt;
  const Result<std::shared_ptr<Transport>> transport = aggregation_.connect(service, verify);
  if (!transport) return fail(service, tracked, now, failed_condition(transport.error().message()));
  std::string path = service.path();
  std::string accept = is_probe ? "" : "application/json";
  if (step == Step::kAggregated) {
    path = "/apis";
    accept = kAggregatedTypes;
  }
  if (step == Step::kOpenApi) path = "/openapi/v3";
  if (step == Step::kOpenApiV2) path = "/openapi/v2";
  const bool is_document = step == Step::kOpenApi || step == Step::kOpenApiV2;
  const UserInfo who = is_document ? document_reader() : aggregator();
  tracked.step = step;
  tracked.fetches.clear();
  for (std::size_t i = 0; i < (is_probe ? kProbes : 1); ++i) {
    HttpRequest request = aggregation_.own_request(path, accept, who);
    if (step == Step::kOpenApiV2 && !tracked.openapi_tag.empty()) {
      request.headers.emplace_back("If-None-Match", tracked.openapi_tag);
    }
    auto fetch = std::make_unique<Fetch>(std::string((*transport)->server()) + path,
                                         is_probe ? Fetch::Body::kIgnored : Fetch::Body::kRead);
    fetch->start(*transport, std::move(request));
    tracked.fetches.push_back(std::move(fetch));
  }
}

void ApiServiceAvailability::advance(const RegisteredService& service, Tracked& tracked, Time now) {
  switch (tracked.step) {
    case Step::kIdle:
      return;
    case Step::kHealth:
      return conclude_health(service, tracked, now);
    case Step::kAggregated:
      if (read_discovery(service, tracked)) return send(service, tracked, now, Step::kOpenApi);
      return send(service, tracked, now, Step::kLegacy);
    case Step::kLegacy:
      tracked.learnt.stale = !read_discovery(service, tracked);
      return send(service, tracked, now, Step::kOpenApi);
    case Step::kOpenApi:
      read_openapi(service, tracked);
      return send(service, tracked, now, Step::kOpenApiV2);
    case Step::kOpenApiV2:
      read_openapi_v2(service, tracked);
      return rest_after(service, tracked, now);
  }
}

void ApiServiceAvailability::conclude_health(const RegisteredService& service, Tracked& tracked,
                                             Time now) {
  const std::string url = tracked.fetches.front()->url();
  std::string why;
  for (const std::unique_ptr<Fetch>& each : tracked.fetches) {
    if (!each->ended()) continue;
    why = each->health_fault();
    if (why.empty() || mutant("one-probe")) break;
  }
  if (why.empty()) {
    if (!write(service.name, passed_condition())) {
      tracked.due = now + writer_.retry_after();
      tracked.step = Step::kIdle;
      return;
    }
    return send(service, tracked, now, Step::kAggregated);
  }
  fail(service, tracked, now,
       failed_condition("failing or missing response from " + url + ": " + why));
}

bool ApiServiceAvailability::read_discovery(const RegisteredService& service, Tracked& tracked) {
  const Fetch::Reply reply = tracked.fetches.front()->take_reply();
  if (reply.end.kind != Break::kNone || reply.status != 200) return false;
  const Result<Json> document = parse_json(reply.body);
  if (!document) return false;
  if (tracked.step == Step::kLegacy) {
    std::optional<Json> resources = discovery_of_list(*document);
    if (!resources || document->get("kind").text() != "APIResourceList") return false;
    tracked.learnt.discovery =
        Json::object({{"version", service.version}, {"resources", *std::move(resources)}});
    return true;
  }
  if (reply.content_type.find("apidiscovery.k8s.io") == std::string::npos) return false;
  tracked.learnt.discovery = version_in(*document, service.group, service.version)
                                 .value_or(Json::object({{"version", service.version}}));
  tracked.learnt.stale = false;
  return true;
}

void ApiServiceAvailability::read_openapi(const RegisteredService& service, Tracked& tracked) {
  const Fetch::Reply reply = tracked.fetches.front()->take_reply();
  tracked.learnt.openapi.clear();
  if (reply.end.kind == Break::kNone && reply.status == 200) {
    const Result<Json> index = parse_json(reply.body);
    const std::string path = service.path().substr(1);
    if (index) tracked.learnt.openapi = index->text_at({"paths", path, "serverRelativeURL"});
    // A foreign path would lead clients elsewhere.
    if (!tracked.learnt.openapi.starts_with("/openapi/v3/" + path)) tracked.learnt.openapi.clear();
  }
}

/// The document that was read before stays if the server does not respond.
/// k8s: Downloader of kube-aggregator/pkg/controllers/openapi/aggregator.
void ApiServiceAvailability::read_openapi_v2(const RegisteredService& service, Tracked& tracked) {
  const Fetch::Reply reply = tracked.fetches.front()->take_reply();
  if (reply.end.kind != Break::kNone) return;
  if (reply.status == 404) {
    tracked.learnt.openapi_v2.reset();
    tracked.openapi_tag.clear();
  }
  if (reply.status != 200) return;
  const Result<Json> document = parse_json(reply.body);
  std::optional<Json> below =
      document ? openapi_below(*document, service.path() + '/') : std::nullopt;
  if (!below) return;
  tracked.openapi_tag = reply.tag;
  const std::shared_ptr<const Json>& known = tracked.learnt.openapi_v2;
  if (known != nullptr && *known == *below) return;
  tracked.learnt.openapi_v2 = std::make_shared<const Json>(*std::move(below));
}

void ApiServiceAvailability::publish(const RegisteredService& service, Tracked& tracked) {
  if (tracked.learnt.discovery.is_null()) {
    tracked.learnt.discovery = Json::object({{"version", service.version}});
  }
  aggregation_.learn(service.name, tracked.learnt);
}

void ApiServiceAvailability::rest_after(const RegisteredService& service, Tracked& tracked,
                                        Time now) {
  publish(service, tracked);
  tracked.fetches.clear();
  tracked.step = Step::kIdle;
  tracked.failures = 0;
  tracked.due = now + kCheckInterval;
}

void ApiServiceAvailability::fail(const RegisteredService& service, Tracked& tracked, Time now,
                                  const ServiceCondition& why) {
  tracked.learnt.stale = true;
  publish(service, tracked);
  const bool written = write(service.name, why);
  tracked.fetches.clear();
  tracked.step = Step::kIdle;
  ++tracked.failures;
  tracked.due = now + (written ? retry_after(tracked.failures) : writer_.retry_after());
}

bool ApiServiceAvailability::write(const std::string& name, const ServiceCondition& condition) {
  const VersionPtr found = parts_.store.get(kApiServices, "", name);
  if (found == nullptr) return true;
  const Json object = found->json();
  std::optional<Json> conditions = conditions_with(object, condition, time_text(parts_.clock));
  if (!conditions) return true;
  const Json revision = object.get("metadata").get("resourceVersion");
  return is_done(writer_.merge(
      "/apis/apiregistration.k8s.io/v1/apiservices/" + name + "/status",
      Json::object({{"metadata", Json::object({{"resourceVersion", revision}})},
                    {"status", Json::object({{"conditions", *std::move(conditions)}})}})));
}

}  // namespace davit::sandbox
