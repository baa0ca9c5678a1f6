#include "tests/live/support/metrics_server.hpp"

#include <array>
#include <chrono>
#include <davit/percent_code.hpp>
#include <string_view>
#include <utility>

#include "host/api/rest_client.hpp"
#include "lib/net/certificates.hpp"
#include "tests/live/support/process.hpp"

namespace davit::live {
namespace {

constexpr std::chrono::seconds kServedMax{120};

struct Group {
  std::string_view name;
  std::string_view version;
  std::string_view resources;  ///< In its resource list.
};

constexpr std::array<Group, 3> kGroups = {{
    {"metrics.k8s.io", "v1beta1",
     R"({"name":"pods","singularName":"","namespaced":true,"kind":"PodMetrics",)"
     R"("verbs":["get","list"]})"},
    {"custom.metrics.k8s.io", "v1beta2",
     R"({"name":"pods/hits","singularName":"","namespaced":true,"kind":"MetricValueList",)"
     R"("verbs":["get"]},{"name":"services/hits","singularName":"","namespaced":true,)"
     R"("kind":"MetricValueList","verbs":["get"]})"},
    {"external.metrics.k8s.io", "v1beta1",
     R"({"name":"queue","singularName":"","namespaced":true,)"
     R"("kind":"ExternalMetricValueList","verbs":["get"]})"},
}};

std::string path_of(const Group& group) {
  return "/apis/" + std::string(group.name) + "/" + std::string(group.version);
}

/// A Service that stands for this machine: the API server resolves external names only.
std::string service_json(int port) {
  return R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"metrics"},"spec":{)"
         R"("type":"ExternalName","externalName":"localhost","ports":[{"port":)" +
         std::to_string(port) + "}]}}";
}

std::string registration_json(const Group& group, int port) {
  const std::string version(group.version);
  const std::string name(group.name);
  return R"({"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":")" +
         version + "." + name + R"("},"spec":{"group":")" + name + R"(","version":")" + version +
         R"(","groupPriorityMinimum":100,"versionPriority":100,"insecureSkipTLSVerify":true,)" +
         R"("service":{"namespace":"kube-system","name":"metrics","port":)" + std::to_string(port) +
         "}}}";
}

void create(host::RestClient& client, host::ResourcePath path, std::string body) {
  host::ApiRequest request;
  request.verb = host::Verb::kCreate;
  request.path = std::move(path);
  request.body = std::move(body);
  const Status created = client.call(request).status;
  if (!created.ok()) give_up("no metrics APIs: " + created.message());
}

KeyPair certificate() {
  const WallTime now =
      std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
  const Result<KeyPair> authority = make_authority("metrics", now);
  if (!authority) give_up(authority.error().message());
  Result<KeyPair> own = issue_certificate(
      *authority,
      {.common_name = "localhost", .use = CertificateUse::kServer, .dns_names = {"localhost"}},
      now);
  if (!own) give_up(own.error().message());
  return std::move(*own);
}

}  // namespace

MetricsServer::MetricsServer() {
  KeyPair pair = certificate();
  HttpServerOptions options;
  options.tls = TlsIdentity{.certificate = std::move(pair.certificate), .key = std::move(pair.key)};
  Result<std::unique_ptr<HttpServer>> opened = HttpServer::open(
      options, [this](const HttpServerRequest& request) { return answer(request); }, Logger(log_));
  if (!opened) give_up("the metrics APIs: " + opened.error().message());
  server_ = std::move(*opened);
}

MetricsServer::~MetricsServer() = default;

void MetricsServer::set(const std::string& path, int code, const std::string& body) {
  MutexLock lock(mutex_);
  answers_[path] = {code, body};
}

MetricsServer::Asked MetricsServer::last_asked(const std::string& path) const {
  MutexLock lock(mutex_);
  const auto found = asked_.find(path);
  return found == asked_.end() ? Asked() : found->second;
}

HttpServerResponse MetricsServer::answer(const HttpServerRequest& request) {
  const std::string path = percent_unescaped(request.path()).value_or("");
  for (const Group& each : kGroups) {
    if (path != path_of(each)) continue;
    return json_response(200, R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":")" +
                                  path.substr(std::string_view("/apis/").size()) +
                                  R"(","resources":[)" + std::string(each.resources) + "]}");
  }
  MutexLock lock(mutex_);
  asked_[path] = {request.target, std::string(request.header("User-Agent"))};
  auto found = answers_.find(percent_unescaped(request.target).value_or(""));
  if (found == answers_.end()) found = answers_.find(path);
  if (found != answers_.end()) return json_response(found->second.code, found->second.body);
  return json_response(404, R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":404,)"
                            R"("reason":"NotFound","message":"there is no such metric"})");
}

void MetricsServer::serve_for(host::RestClient& client) const {
  const int port = server_->port();
  create(client, {"", "v1", "services", "", "kube-system", ""}, service_json(port));
  for (const Group& each : kGroups) {
    create(client, {"apiregistration.k8s.io", "v1", "apiservices", "", "", ""},
           registration_json(each, port));
  }
  for (const Group& each : kGroups) {
    host::ApiRequest request;
    request.raw_path = path_of(each);
    std::string why;
    const auto is_served = [&] {
      const Status asked = client.call(request).status;
      why = asked.message();
      return asked.ok();
    };
    if (!eventually(kServedMax, is_served, std::chrono::milliseconds(100))) {
      give_up(path_of(each) + " is not served: " + why);
    }
  }
}

}  // namespace davit::live
