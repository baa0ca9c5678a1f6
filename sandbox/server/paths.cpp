// Paths that name no resource.
#include <algorithm>
#include <array>

#include "lib/base/version.hpp"
#include "sandbox/aggregation/aggregation.hpp"
#include "sandbox/metrics/metric_discovery.hpp"
#include "sandbox/metrics/metrics_api.hpp"
#include "sandbox/server/acceptance.hpp"
#include "sandbox/server/dispatch.hpp"

namespace davit::sandbox {

namespace {

HttpServerResponse text(std::string body) {
  HttpServerResponse response;
  response.body = std::move(body);
  return response;
}

HttpServerResponse server_version_response(const ServerVersion& version) {
  return json_response(200, to_text(Json::object({{"major", version.major},
                                                  {"minor", version.minor},
                                                  {"gitVersion", version.git_version},
                                                  {"gitCommit", ""},
                                                  {"gitTreeState", "clean"},
                                                  {"buildDate", "2026-01-01T00:00:00Z"},
                                                  {"goVersion", "go1.25"},
                                                  {"compiler", "gc"},
                                                  {"platform", kPlatform}})));
}

constexpr std::array<std::string_view, 1> kVersionTypes = {"application/json"};

bool is_health(const std::vector<std::string>& segments) {
  return !segments.empty() &&
         (segments[0] == "healthz" || segments[0] == "livez" || segments[0] == "readyz");
}

/// One line of `?verbose`, by which clients look for what they wait for.
struct HealthCheck {
  std::string_view name;
  std::string_view paths;  ///< The paths that list it.
};
constexpr std::string_view kAllHealthPaths = "healthz livez readyz";
constexpr HealthCheck kHealthChecks[] = {
    {"ping", kAllHealthPaths},
    {"log", kAllHealthPaths},
    {"loopback-serving-certificate", "healthz livez"},
    {"etcd", kAllHealthPaths},
    {"etcd-readiness", "readyz"},
    {"informer-sync", "readyz"},
    {"poststarthook/start-apiserver-admission-initializer", kAllHealthPaths},
    {"poststarthook/generic-apiserver-start-informers", kAllHealthPaths},
    {"poststarthook/priority-and-fairness-config-consumer", kAllHealthPaths},
    {"poststarthook/priority-and-fairness-filter", kAllHealthPaths},
    {"poststarthook/storage-object-count-tracker-hook", kAllHealthPaths},
    {"poststarthook/start-apiextensions-informers", kAllHealthPaths},
    {"poststarthook/start-apiextensions-controllers", kAllHealthPaths},
    {"poststarthook/crd-informer-synced", kAllHealthPaths},
    {"poststarthook/start-system-namespaces-controller", kAllHealthPaths},
    {"poststarthook/peer-endpoint-reconciler-controller", kAllHealthPaths},
    {"poststarthook/start-cluster-authentication-info-controller", kAllHealthPaths},
    {"poststarthook/start-kube-apiserver-identity-lease-controller", kAllHealthPaths},
    {"poststarthook/start-kube-apiserver-identity-lease-garbage-collector", kAllHealthPaths},
    {"poststarthook/storage-readiness", kAllHealthPaths},
    {"poststarthook/start-legacy-token-tracking-controller", kAllHealthPaths},
    {"poststarthook/start-service-ip-repair-controllers", kAllHealthPaths},
    {"poststarthook/rbac/bootstrap-roles", kAllHealthPaths},
    {"poststarthook/scheduling/bootstrap-system-priority-classes", kAllHealthPaths},
    {"poststarthook/priority-and-fairness-config-producer", kAllHealthPaths},
    {"poststarthook/bootstrap-controller", kAllHealthPaths},
    {"poststarthook/start-kubernetes-service-cidr-controller", kAllHealthPaths},
    {"poststarthook/start-kube-aggregator-informers", kAllHealthPaths},
    {"poststarthook/apiservice-status-local-available-controller", kAllHealthPaths},
    {"poststarthook/apiservice-status-remote-available-controller", kAllHealthPaths},
    {"poststarthook/apiservice-registration-controller", kAllHealthPaths},
    {"poststarthook/apiservice-wait-for-first-sync", kAllHealthPaths},
    {"poststarthook/apiservice-discovery-controller", kAllHealthPaths},
    {"poststarthook/kube-apiserver-autoregistration", kAllHealthPaths},
    {"autoregister-completion", kAllHealthPaths},
    {"poststarthook/apiservice-openapi-controller", kAllHealthPaths},
    {"poststarthook/apiservice-openapiv3-controller", kAllHealthPaths},
    {"shutdown", "readyz"},
};

/// "poststarthook/rbac/bootstrap-roles" of "/readyz/poststarthook/rbac/bootstrap-roles".
std::string check_name(const Url& url) {
  std::string out;
  for (std::size_t i = 1; i < url.segments.size(); ++i) {
    out += (out.empty() ? "" : "/") + url.segments[i];
  }
  return out;
}

/// Every check passes, because a server that responds is ready. `?exclude=` omits checks and
/// reports names that do not exist.
ApiResult<HttpServerResponse> health(const Url& url) {
  const std::string& path = url.segments[0];
  const std::string wanted = check_name(url);
  std::vector<std::string> excluded = url.query.all("exclude");
  std::string lines;
  bool found = wanted.empty();
  for (const HealthCheck& each : kHealthChecks) {
    if (each.paths.find(path) == std::string_view::npos) continue;
    found = found || each.name == wanted;
    const std::size_t left_out = std::erase(excluded, std::string(each.name));
    lines += "[+]" + std::string(each.name) + (left_out > 0 ? " excluded: ok\n" : " ok\n");
  }
  if (!found) return page_not_found();
  if (!wanted.empty() || !url.query.find("verbose")) return text("ok");
  std::ranges::sort(excluded);
  excluded.erase(std::unique(excluded.begin(), excluded.end()), excluded.end());
  if (!excluded.empty()) {
    lines += "warn: some health checks cannot be excluded: no matches for ";
    for (const std::string& each : excluded) {
      lines += (&each == excluded.data() ? "" : ", ") + to_text(Json(each));
    }
    lines += '\n';
  }
  return text(lines + path + " check passed\n");
}

}  // namespace

ApiResult<HttpServerResponse> serve_path(const Serving& serving, const HttpServerRequest& request,
                                         const Url& url) {
  MetricBoard* const metrics = serving.options.metrics;
  if (metrics != nullptr && is_metric_rules_path(url.path)) {
    return serve_metric_rules(*metrics, serving.rest.clock.now(), request);
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return url.segments.empty() ? ApiResult<HttpServerResponse>(page_not_found())
                                : ApiResult<HttpServerResponse>(method_not_allowed());
  }
  if (url.segments.size() == 1 && url.segments[0] == "version") {
    if (ApiFailure failure = check_route(request.header("Accept"), kVersionTypes)) {
      return *failure;
    }
    return server_version_response(serving.options.version);
  }
  if (is_health(url.segments)) return health(url);
  if (url.path == "/metrics") {
    HttpServerResponse page = text(serving.metrics.page(serving.rest, serving.options.version));
    page.content_type = "text/plain; version=0.0.4; charset=utf-8";
    return page;
  }
  if (Documents::has(url)) {
    Aggregation* const aggregation = serving.options.aggregation;
    return serving.documents.respond(
        request, url, serving.rest.resources.now(),
        {MetricDiscovery(metrics), aggregation == nullptr ? RemoteApis() : aggregation->apis()});
  }
  return page_not_found();
}

}  // namespace davit::sandbox
