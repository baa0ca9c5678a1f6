#include "plugins/endpoint/pod_facts.hpp"

#include <algorithm>
#include <utility>

namespace davit::endpoint {

namespace {

constexpr std::string_view kDefaultProtocol = "TCP";

std::optional<std::int64_t> named_port(Value container, std::string_view name,
                                       std::string_view protocol) {
  for (const Value port : container[&Names::ports].elements()) {
    if (port[&Names::name].string() == name && protocol_of(port) == protocol) {
      return port[&Names::container_port].integer();
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<IpAddress> pod_ip(const Pod& pod, IpFamily family) {
  for (const Value each : pod.status()[&Names::pod_ips].elements()) {
    std::optional<IpAddress> address = parse_ip(each[&Names::ip].string());
    if (address && address->family == family) return address;
  }
  return std::nullopt;
}

std::vector<std::string> pod_ips(const Pod& pod, IpFamily family) {
  std::vector<std::string> out;
  for (const Value each : pod.status()[&Names::pod_ips].elements()) {
    std::optional<IpAddress> address = parse_ip(each[&Names::ip].string());
    if (address && address->family == family) out.push_back(std::move(address->text));
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool has_ip(const Pod& pod) {
  const Value status = pod.status();
  return !status[&Names::pod_ip].string().empty() || status[&Names::pod_ips].count() != 0;
}

std::string_view hostname_in(const Pod& pod, const Service& service) {
  const Value spec = pod.spec();
  if (spec[&Names::subdomain].string() != service.name() || pod.ns() != service.ns()) return {};
  return spec[&Names::hostname].string();
}

EndpointPort endpoint_port(Value service_port, std::int64_t number) {
  EndpointPort port{std::string(service_port[&Names::name].string()), number,
                    std::string(protocol_of(service_port)), std::nullopt};
  if (const auto protocol = service_port[&Names::app_protocol].text()) {
    port.app_protocol = std::string(*protocol);
  }
  return port;
}

std::string_view protocol_of(Value port) {
  const std::string_view protocol = port[&Names::protocol].string();
  return protocol.empty() ? kDefaultProtocol : protocol;
}

std::optional<std::int64_t> target_port(const Pod& pod, Value service_port) {
  const Value target = service_port[&Names::target_port];
  if (const std::optional<std::int64_t> number = target.integer()) return number;
  const std::optional<std::string_view> name = target.text();
  if (!name) return std::nullopt;
  const std::string_view protocol = protocol_of(service_port);
  for (const Value each : pod.spec()[&Names::containers].elements()) {
    if (const auto port = named_port(each, *name, protocol)) return port;
  }
  for (const Value each : pod.spec()[&Names::init_containers].elements()) {
    if (each[&Names::restart_policy].string() != "Always") continue;
    if (const auto port = named_port(each, *name, protocol)) return port;
  }
  return std::nullopt;
}

}  // namespace davit::endpoint
