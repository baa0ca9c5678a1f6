#include "sandbox/server/bootstrap.hpp"

#include <array>
#include <utility>
#include <vector>

#include "sandbox/admission/cluster_addresses.hpp"
#include "sandbox/auth/rbac.hpp"
#include "sandbox/metrics/metric_board.hpp"
#include "sandbox/rest/address_objects.hpp"
#include "sandbox/rest/convert.hpp"
#include "sandbox/rest/meta.hpp"
#include "sandbox/rest/write.hpp"
#include "sandbox/server/local_api_services.hpp"
#include "sandbox/server/server_target.hpp"

namespace davit::sandbox {

namespace {

constexpr std::array<std::string_view, 4> kNamespaces = {"kube-system", "kube-public",
                                                         "kube-node-lease", "default"};

Json named(std::string_view api_version, std::string_view kind, std::string_view name,
           std::string_view ns = "") {
  Json metadata = Json::object({{"name", name}});
  if (!ns.empty()) metadata.set("namespace", ns);
  return Json::object(
      {{"kind", kind}, {"apiVersion", api_version}, {"metadata", std::move(metadata)}});
}

/// The ranges of Services, which were checked before.
std::vector<ip::Prefix> service_ranges(const ApiServerOptions& options) {
  return parse_service_ranges(options.admission.service_range).value_or({});
}

Json kubernetes_service(const ApiServerOptions& options) {
  Json service = named("v1", "Service", "kubernetes", "default");
  service["metadata"].set("labels",
                          Json::object({{"component", "apiserver"}, {"provider", "kubernetes"}}));
  const std::string address = address_after(service_ranges(options).at(0).first(), 1).text();
  Json port = Json::object({{"name", "https"},
                            {"protocol", "TCP"},
                            {"port", 443},
                            {"targetPort", options.advertise_port}});
  service.set("spec", Json::object({{"type", "ClusterIP"},
                                    {"clusterIP", address},
                                    {"clusterIPs", Json::array({address})},
                                    {"ports", Json::array({std::move(port)})}}));
  return service;
}

Json https_port(const ApiServerOptions& options) {
  return Json::object({{"name", "https"}, {"port", options.advertise_port}, {"protocol", "TCP"}});
}

Json kubernetes_endpoints(const ApiServerOptions& options) {
  Json endpoints = named("v1", "Endpoints", "kubernetes", "default");
  endpoints["metadata"].set("labels",
                            Json::object({{"endpointslice.kubernetes.io/skip-mirror", "true"}}));
  Json address = Json::object({{"ip", options.advertise_address}});
  endpoints.set("subsets",
                Json::array({Json::object({{"addresses", Json::array({std::move(address)})},
                                           {"ports", Json::array({https_port(options)})}})}));
  return endpoints;
}

Json kubernetes_slice(const ApiServerOptions& options) {
  Json slice = named("discovery.k8s.io/v1", "EndpointSlice", "kubernetes", "default");
  slice["metadata"].set("labels", Json::object({{"kubernetes.io/service-name", "kubernetes"}}));
  slice.set("addressType", "IPv4");
  Json endpoint = Json::object({{"addresses", Json::array({options.advertise_address})},
                                {"conditions", Json::object({{"ready", true}})}});
  slice.set("endpoints", Json::array({std::move(endpoint)}));
  slice.set("ports", Json::array({https_port(options)}));
  return slice;
}

Json priority_class(std::string_view name, std::int64_t value, std::string_view description) {
  Json out = named("scheduling.k8s.io/v1", "PriorityClass", name);
  out.set("value", value);
  out.set("description", description);
  return out;
}

/// The authorities that servers of aggregated APIs, kube-controller-manager and kube-scheduler
/// believe. k8s: clusterauthenticationtrust of pkg/controlplane/controller.
Json authentication_data(const ApiServerOptions& options) {
  Json out;
  if (!options.client_authority.empty()) out.set("client-ca-file", options.client_authority);
  const bool proxies = !options.front_proxy_authority.empty();
  out.set("requestheader-allowed-names", proxies ? R"(["front-proxy-client"])" : "[]");
  if (proxies) out.set("requestheader-client-ca-file", options.front_proxy_authority);
  out.set("requestheader-extra-headers-prefix", proxies ? R"(["X-Remote-Extra-"])" : "[]");
  out.set("requestheader-group-headers", proxies ? R"(["X-Remote-Group"])" : "[]");
  if (proxies) out.set("requestheader-uid-headers", R"(["X-Remote-Uid"])");
  out.set("requestheader-username-headers", proxies ? R"(["X-Remote-User"])" : "[]");
  return out;
}

Json authentication_config(const ApiServerOptions& options) {
  Json out = named("v1", "ConfigMap", "extension-apiserver-authentication", "kube-system");
  out.set("data", authentication_data(options));
  return out;
}

/// The day since which a server knows of unused tokens: the first start. Read by the cleaner of
/// such tokens (docs/spec/serviceaccount.md).
Json token_tracking(const Clock& clock) {
  constexpr std::size_t kDay = std::string_view("2026-01-01").size();
  Json out = named("v1", "ConfigMap", "kube-apiserver-legacy-service-account-token-tracking",
                   "kube-system");
  out.set("data", Json::object({{"since", time_text(clock).substr(0, kDay)}}));
  return out;
}

/// Creates the object as a client with every right would. An existing one stays.
void create(const RestParts& parts, Json object) {
  const std::string& version = object.get("apiVersion").text();
  const ResourcePtr resource = parts.resources.now()->find_kind(version, object.get("kind").text());
  if (resource == nullptr) return;
  const std::string ns = object.text_at({"metadata", "namespace"});
  const std::string name = object.text_at({"metadata", "name"});
  if (parts.store.get(resource->collection, ns, name) != nullptr) return;
  const WriteTarget target = server_target(parts, *resource, ns, "");
  std::vector<std::string> warnings;
  // A refusal would be a mistake in this table, which the tests of the server would find.
  static_cast<void>(create_object(parts, target, std::move(object), warnings).has_value());
}

/// An earlier process had another front-proxy authority.
void write_authentication_config(const RestParts& parts, const ApiServerOptions& options) {
  create(parts, authentication_config(options));
  const ResourcePtr resource = parts.resources.now()->find("", "v1", "configmaps");
  const WriteTarget target =
      server_target(parts, *resource, "kube-system", "extension-apiserver-authentication");
  std::vector<std::string> warnings;
  const auto with_data = [&](const Json& old) -> ApiResult<Json> {
    Json next = old;
    next.set("data", authentication_data(options));
    return next;
  };
  static_cast<void>(
      rewrite_object(parts, target, Missing::kNotFound, with_data, warnings).has_value());
}

/// The parts of a control plane. They are read only for clients.
void create_component_status(const RestParts& parts, const char* name) {
  Json object = named("v1", "ComponentStatus", name);
  object.set(
      "conditions",
      Json::array({Json::object({{"type", "Healthy"}, {"status", "True"}, {"message", "ok"}})}));
  const std::shared_ptr<const ResourceSet> resources = parts.resources.now();
  const ResourcePtr resource = resources->find("", "v1", "componentstatuses");
  // Refused if an earlier process has made it.
  static_cast<void>(
      parts.store.create(resource->collection, make_draft(std::move(object), *resource, *resources))
          .has_value());
}

/// Ready from the start: kube-apiserver sets the condition itself.
void create_default_range(const RestParts& parts, const ApiServerOptions& options) {
  Json range = named("networking.k8s.io/v1", "ServiceCIDR", "kubernetes");
  Json cidrs = Json::array();
  for (const ip::Prefix& each : service_ranges(options)) cidrs.push_back(each.text());
  range.set("spec", Json::object({{"cidrs", std::move(cidrs)}}));
  create(parts, std::move(range));
  const ResourcePtr resource =
      parts.resources.now()->find("networking.k8s.io", "v1", "servicecidrs");
  const auto with_condition = [&](const Json& old) -> ApiResult<Json> {
    Json next = old;
    if (old.at({"status", "conditions"}) != nullptr) return next;
    Json ready = Json::object({{"type", "Ready"},
                               {"status", "True"},
                               {"lastTransitionTime", time_text(parts.clock)},
                               {"reason", ""},
                               {"message", "Kubernetes default Service CIDR is ready"}});
    next["status"].set("conditions", Json::array({std::move(ready)}));
    return next;
  };
  // Refused only if another server writes the same store, which there is not.
  static_cast<void>(
      rewrite_status(parts, *resource, "", "kubernetes", DryRun::kNo, with_condition));
}

}  // namespace

void write_bootstrap_objects(const RestParts& parts, const ApiServerOptions& options) {
  for (const std::string_view name : kNamespaces) create(parts, named("v1", "Namespace", name));
  create(parts, priority_class("system-cluster-critical", 2'000'000'000,
                               "Used for system critical pods that must run in the cluster, but "
                               "can be moved to another node if necessary."));
  create(parts, priority_class("system-node-critical", 2'000'001'000,
                               "Used for system critical pods that must not be moved from their "
                               "current node."));
  if (options.bootstrap == BootstrapObjects::kMinimal) return;
  create_default_range(parts, options);
  create(parts, kubernetes_service(options));
  create(parts, kubernetes_endpoints(options));
  create(parts, kubernetes_slice(options));
  write_authentication_config(parts, options);
  create(parts, token_tracking(parts.clock));
  restore_addresses(parts);
  for (const char* name : {"scheduler", "controller-manager", "etcd-0"}) {
    create_component_status(parts, name);
  }
  write_local_api_services(parts);
}

void write_bootstrap_policy(const RestParts& parts, const ApiServerOptions& options) {
  for (auto& [collection, object] : bootstrap_policy()) create(parts, std::move(object));
  // With the metrics server of a real cluster comes this role.
  if (options.metrics == nullptr || !options.metrics->options().resource) return;
  create(parts, metrics_reader_role().second);
}

}  // namespace davit::sandbox
