#include <array>
#include <set>

#include "lib/kube/names.hpp"
#include "sandbox/kinds/columns_cells.hpp"

namespace davit::sandbox {
namespace {

std::vector<std::string> texts_of(const Json& items) {
  std::vector<std::string> out;
  for (const Json& each : items.items()) out.push_back(each.text());
  return out;
}

/// The addresses and host names that a load balancer gave, sorted, each once.
std::vector<std::string> load_balancer_texts(const Json& object) {
  std::set<std::string> out;
  for (const Json& each : value_at(object, {"status", "loadBalancer", "ingress"}).items()) {
    const std::string& ip = each.get("ip").text();
    const std::string& text = ip.empty() ? each.get("hostname").text() : ip;
    if (!text.empty()) out.insert(text);
  }
  return {out.begin(), out.end()};
}

std::string external_ip(const Json& service) {
  const std::string& type = service.text_at({"spec", "type"});
  const std::vector<std::string> external = texts_of(value_at(service, {"spec", "externalIPs"}));
  if (type == "ClusterIP" || type == "NodePort") {
    return external.empty() ? "<none>" : join_texts(external, ",");
  }
  if (type == "ExternalName") return service.text_at({"spec", "externalName"});
  if (type != "LoadBalancer") return "<unknown>";
  std::vector<std::string> all = load_balancer_texts(service);
  all.insert(all.end(), external.begin(), external.end());
  return all.empty() ? "<pending>" : join_texts(all, ",");
}

/// "80/TCP,443:30443/TCP"
std::string service_ports(const Json& service) {
  std::vector<std::string> out;
  for (const Json& port : value_at(service, {"spec", "ports"}).items()) {
    std::string text = port.get("port").text();
    const std::int64_t node_port = number_at(port, {"nodePort"});
    if (node_port > 0) text += ':' + std::to_string(node_port);
    out.push_back(text + '/' + port.get("protocol").text());
  }
  return out.empty() ? "<none>" : join_texts(out, ",");
}

Json::Items service_cells(const Json& service, WallTime now) {
  const Json::Items& ips = value_at(service, {"spec", "clusterIPs"}).items();
  return {name_of(service),
          service.text_at({"spec", "type"}),
          ips.empty() ? std::string("<none>") : ips.front().text(),
          external_ip(service),
          service_ports(service),
          age_of(service, now),
          labels_text(value_at(service, {"spec", "selector"}))};
}

/// "10.0.0.1:80", "[fd00::1]:80"
std::string host_port(const std::string& ip, const Json& port) {
  const std::string number = std::to_string(number_at(port, {"port"}));
  return (is_ipv6(ip) ? '[' + ip + ']' : ip) + ':' + number;
}

std::string endpoints_text(const Json& endpoints) {
  if (endpoints.get("subsets").items().empty()) return "<none>";
  ShortList out;
  for (const Json& subset : endpoints.get("subsets").items()) {
    const Json::Items& addresses = subset.get("addresses").items();
    const Json::Items& ports = subset.get("ports").items();
    for (const Json& port : ports) {
      for (const Json& each : addresses) out.add(host_port(each.get("ip").text(), port));
    }
    if (!ports.empty()) continue;  // Headless services may have none.
    for (const Json& each : addresses) out.add(each.get("ip").text());
  }
  return out.text();
}

Json::Items endpoints_cells(const Json& endpoints, WallTime now) {
  return {name_of(endpoints), endpoints_text(endpoints), age_of(endpoints, now)};
}

std::string or_unset(std::string text) { return text.empty() ? "<unset>" : std::move(text); }

Json::Items endpoint_slice_cells(const Json& slice, WallTime now) {
  ShortList ports;
  for (const Json& port : slice.get("ports").items()) {
    const std::string& number = port.get("port").text();
    ports.add(number.empty() ? text_or(port, {"name"}, "*") : number);
  }
  ShortList addresses;
  for (const Json& endpoint : slice.get("endpoints").items()) {
    for (const Json& each : endpoint.get("addresses").items()) addresses.add(each.text());
  }
  return {name_of(slice), slice.get("addressType").text(), or_unset(ports.text()),
          or_unset(addresses.text()), age_of(slice, now)};
}

Json::Items ingress_cells(const Json& ingress, WallTime now) {
  ShortList hosts;
  for (const Json& rule : value_at(ingress, {"spec", "rules"}).items()) {
    if (!rule.get("host").text().empty()) hosts.add(rule.get("host").text());
  }
  return {name_of(ingress),
          text_or(ingress, {"spec", "ingressClassName"}),
          hosts.text().empty() ? std::string("*") : hosts.text(),
          join_texts(load_balancer_texts(ingress), ","),
          value_at(ingress, {"spec", "tls"}).items().empty() ? "80" : "80, 443",
          age_of(ingress, now)};
}

Json::Items ingress_class_cells(const Json& object, WallTime now) {
  const Json& parameters = value_at(object, {"spec", "parameters"});
  std::string text = "<none>";
  if (parameters.is_object()) {
    text = parameters.get("kind").text();
    const std::string& group = parameters.get("apiGroup").text();
    if (!group.empty()) text += '.' + group;
    text += '/' + parameters.get("name").text();
  }
  return {name_of(object), object.text_at({"spec", "controller"}), text, age_of(object, now)};
}

Json::Items network_policy_cells(const Json& object, WallTime now) {
  return {name_of(object), selector_text(value_at(object, {"spec", "podSelector"})),
          age_of(object, now)};
}

constexpr std::array kNetworkCells = std::to_array<KindCells>({
    {"", "services", service_cells},
    {"", "endpoints", endpoints_cells},
    {"discovery.k8s.io", "endpointslices", endpoint_slice_cells},
    {"networking.k8s.io", "ingresses", ingress_cells},
    {"networking.k8s.io", "ingressclasses", ingress_class_cells},
    {"networking.k8s.io", "networkpolicies", network_policy_cells},
});

}  // namespace

std::span<const KindCells> network_cells() { return kNetworkCells; }

}  // namespace davit::sandbox
