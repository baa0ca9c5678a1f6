#include "plugins/endpoint/wanted_endpoints.hpp"

#include <algorithm>
#include <utility>

#include "plugins/endpoint/pod_facts.hpp"

namespace davit::endpoint {

namespace {

SlicePorts ports_of(const Service& service, const Pod& pod) {
  SlicePorts ports;
  for (const Value each : service.ports().elements()) {
    if (const auto number = target_port(pod, each)) ports.push_back(endpoint_port(each, *number));
  }
  return as_group(std::move(ports));
}

SliceEndpoint endpoint_of(const Service& service, const Pod& pod, const Lookup<Node>& node) {
  SliceEndpoint out;
  const bool serving = pod.is_ready();
  const bool terminating = pod.is_being_deleted();
  out.conditions = {service.publishes_not_ready() || (serving && !terminating), serving,
                    terminating};
  out.hostname = hostname_in(pod, service);
  out.target = ObjectReference::to(pod);
  if (!pod.node_name().empty()) out.node_name = std::string(pod.node_name());
  const auto zone = node ? node->label(kZoneLabel) : std::nullopt;
  if (zone && !zone->empty()) out.zone = std::string(*zone);
  return out;
}

}  // namespace

WantedEndpoints wanted_endpoints(const Service& service, std::span<const Pod> pods, IpFamily family,
                                 const FindNode& find_node) {
  WantedEndpoints out;
  for (const Pod& pod : pods) {
    if (pod.is_finished() || !has_ip(pod)) continue;
    std::vector<SliceEndpoint>& group = out.groups[ports_of(service, pod)];
    const Lookup<Node> node = find_node(pod.node_name());
    if (!node && !service.publishes_not_ready()) {
      out.errors.push_back("skipping Pod " + std::string(pod.name()) + " for Service " +
                           service.key().text() + ": Node " + std::string(pod.node_name()) +
                           " Not Found");
      continue;
    }
    SliceEndpoint endpoint = endpoint_of(service, pod, node);
    endpoint.addresses = pod_ips(pod, family);
    if (!endpoint.addresses.empty()) group.push_back(std::move(endpoint));
  }
  return out;
}

std::vector<IpFamily> address_types(const Service& service) {
  std::vector<IpFamily> types;
  for (const Value each : service.ip_families().elements()) {
    const std::optional<IpFamily> family = ip::family_of(each.string());
    if (family && std::find(types.begin(), types.end(), *family) == types.end()) {
      types.push_back(*family);
    }
  }
  if (!types.empty()) return types;
  if (service.has_cluster_ip()) {
    const std::optional<IpAddress> address = parse_ip(service.cluster_ip());
    return {address ? address->family : IpFamily::kIPv4};
  }
  return {IpFamily::kIPv4, IpFamily::kIPv6};
}

}  // namespace davit::endpoint
