#include "sandbox/aggregation/aggregation.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <davit/mutant.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/aggregation/proxied_response.hpp"
#include "sandbox/aggregation/upgrade.hpp"
#include "sandbox/rest/decode.hpp"

namespace davit::sandbox {

namespace {

using std::chrono::seconds;

/// kube-apiserver's --request-timeout.
constexpr seconds kRequestTime{60};
/// k8s: aggregatedDiscoveryTimeout of k8s.io/apiserver/pkg/util/proxy.
constexpr seconds kDiscoveryTime{5};

constexpr std::array<std::string_view, 5> kLongParts = {"attach", "exec", "log", "portforward",
                                                        "proxy"};

/// The requests that --request-timeout does not end.
bool takes_long(const HttpServerRequest& request, const Url& url) {
  if (verb_of(request.method, url) == Verb::kWatch) return true;
  return std::ranges::find(kLongParts, url.subresource) != kLongParts.end();
}

/// "v1.metrics.example.com" of "/apis/metrics.example.com/v1/…", and of its OpenAPI document;
/// empty: the path belongs to no group version.
std::string service_name(const std::vector<std::string>& segments) {
  if (segments.size() >= 3 && segments[0] == "apis") return segments[2] + '.' + segments[1];
  if (segments.size() == 5 && segments[0] == "openapi" && segments[1] == "v3" &&
      segments[2] == "apis") {
    return segments[4] + '.' + segments[3];
  }
  return "";
}

/// The name of all upgraded connections among those of services; no service can have it.
constexpr const char* kUpgraded = "upgraded connections";

HttpServerResponse too_busy(const RegisteredService& service) {
  return to_response(
      too_many_requests("too many requests wait for the server of " + service.name, {}, 1));
}

}  // namespace

Aggregation::Aggregation(Parts parts)
    : parts_(std::move(parts)), subscription_(parts_.store.subscribe(kApiServices, [this] {
        MutexLock lock(mutex_);
        changed_ = true;
      })) {}

std::shared_ptr<const RegisteredServices> Aggregation::services() {
  MutexLock lock(mutex_);
  if (!changed_) return known_;
  changed_ = false;
  auto known = std::make_shared<RegisteredServices>();
  for (const VersionPtr& each : parts_.store.list(kApiServices, "").objects) {
    known->emplace(each->name, registered_service(each->json()));
  }
  known_ = std::move(known);
  return known_;
}

const RegisteredService* Aggregation::service_of(const RegisteredServices& known, const Url& url) {
  const auto found = known.find(service_name(url.segments));
  return found == known.end() || !found->second.remote ? nullptr : &found->second;
}

bool Aggregation::serves(const Url& url) {
  const std::shared_ptr<const RegisteredServices> known = services();
  return service_of(*known, url) != nullptr;
}

Result<std::shared_ptr<Transport>> Aggregation::connect(
    const RegisteredService& service, std::optional<BackendServer::Verify> verify) const {
  Result<BackendServer> server = server_of(service, parts_.store);
  if (!server) return server.error();
  server->verify = verify.value_or(server->verify);
  return parts_.connector.connect(*server);
}

HttpRequest Aggregation::own_request(std::string target, std::string accept,
                                     const UserInfo& who) const {
  HttpRequest out;
  out.method = "GET";
  out.target = std::move(target);
  if (!accept.empty()) out.headers.emplace_back("Accept", std::move(accept));
  add_remote_user(who, out.headers);
  out.timeout = kDiscoveryTime;
  out.certificate = parts_.certificate;
  return out;
}

std::shared_ptr<void> Aggregation::take_place(const std::string& name, std::size_t share_max) {
  {
    MutexLock lock(exchanges_->mutex);
    if (exchanges_->total >= kExchangesMax) return nullptr;
    std::size_t& count = exchanges_->counts[name];
    if (count >= share_max) return nullptr;
    ++count;
    ++exchanges_->total;
  }
  const auto leave = [exchanges = exchanges_, name](void*) {
    MutexLock lock(exchanges->mutex);
    --exchanges->total;
    if (--exchanges->counts[name] == 0) exchanges->counts.erase(name);
  };
  return {exchanges_.get(), leave};
}

std::optional<HttpServerResponse> Aggregation::serve(const HttpServerRequest& request,
                                                     const Url& url, const UserInfo& who) {
  const std::shared_ptr<const RegisteredServices> known = services();
  const RegisteredService* const service = service_of(*known, url);
  if (service == nullptr) return std::nullopt;
  if (request.body_too_large && !mutant("proxied-body")) {
    return to_response(body_too_large(kBodyBytesMax));
  }
  if (!service->available) return proxy_error(503, "service unavailable");
  const Result<BackendServer> server = server_of(*service, parts_.store);
  if (!server) return proxy_error(503, "service unavailable");
  if (is_upgrade(request)) return upgrade(request, *service, *server, who);
  const Result<std::shared_ptr<Transport>> transport = parts_.connector.connect(*server);
  if (!transport) return proxy_error(500, transport.error().message());
  std::shared_ptr<void> place = take_place(service->name, kShareMax);
  if (place == nullptr) return too_busy(*service);
  HttpRequest proxied = proxied_request(request, who, *server);
  proxied.certificate = parts_.certificate;
  proxied.sharing = Sharing::kAlone;
  if (takes_long(request, url)) {
    proxied.purpose = ConnectionPurpose::kWatch;
  } else {
    proxied.timeout = url.is_resource ? kRequestTime : kDiscoveryTime;
  }
  return start_proxied(*transport, std::move(proxied), parts_.clock, std::move(place));
}

HttpServerResponse Aggregation::upgrade(const HttpServerRequest& request,
                                        const RegisteredService& service,
                                        const BackendServer& server, const UserInfo& who) {
  Result<std::string> text =
      upgrade_text(request, who, server.url.substr(server.url.find("://") + 3));
  if (!text) return proxy_error(503, "error sending request: " + text.error().message());
  std::shared_ptr<void> place = take_place(kUpgraded, kUpgradedMax);
  if (place == nullptr) return too_busy(service);
  Result<std::unique_ptr<ByteConnection>> connection =
      parts_.connector.open(server, parts_.certificate, *std::move(text));
  if (!connection) {
    return proxy_error(503, "error dialing backend: " + connection.error().message());
  }
  return start_upgrade(*std::move(connection), parts_.clock, std::move(place));
}

RemoteApis Aggregation::apis() {
  const std::shared_ptr<const RegisteredServices> known = services();
  RemoteApis out;
  for (const auto& [name, service] : *known) {
    std::int64_t& group = out.group_priorities[service.group];
    group = std::max(group, service.group_priority);
    out.version_priorities[service.group + '/' + service.version] = service.version_priority;
    if (service.group.empty()) out.has_core = true;
    RemoteVersion version{service.group, service.version,
                          Json::object({{"version", service.version}})};
    if (!service.remote) {
      out.local.push_back(std::move(version));
      continue;
    }
    bool stale = true;
    {
      MutexLock lock(mutex_);
      const auto found = learnt_.find(name);
      if (found != learnt_.end()) {
        version.discovery = found->second.discovery;
        version.openapi = found->second.openapi;
        version.openapi_v2 = found->second.openapi_v2;
        stale = found->second.stale;
      }
    }
    version.discovery.set("freshness", stale ? "Stale" : "Current");
    out.versions.push_back(std::move(version));
  }
  return out;
}

void Aggregation::learn(const std::string& name, std::optional<LearntVersion> version) {
  MutexLock lock(mutex_);
  if (version) {
    learnt_.insert_or_assign(name, *std::move(version));
  } else {
    learnt_.erase(name);
  }
}

}  // namespace davit::sandbox
