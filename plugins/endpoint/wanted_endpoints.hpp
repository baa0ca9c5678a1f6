/// Derives the endpoints of a Service's slices of one address type from its pods.
#pragma once

#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/service.hpp>
#include <davit/lookup.hpp>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/shared/endpoint/ip_address.hpp"
#include "plugins/shared/endpoint/slice_endpoint.hpp"

namespace davit::endpoint {

inline constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";

/// Endpoints whose pods offer the same ports, by these; as_group() made the keys.
using PortGroups = std::map<SlicePorts, std::vector<SliceEndpoint>>;

struct WantedEndpoints {
  PortGroups groups;
  /// A line for each pod that was left out because its Node is unknown: to be tried again.
  std::vector<std::string> errors;
};

using FindNode = std::function<Lookup<Node>(std::string_view name)>;

/// `pods`: all that the Service selects, those too that do not count.
[[nodiscard]] WantedEndpoints wanted_endpoints(const Service& service, std::span<const Pod> pods,
                                               IpFamily family, const FindNode& find_node);

/// The types for which a Service has slices: those of its families, else that of its address, else
/// both (getAddressTypesForService).
[[nodiscard]] std::vector<IpFamily> address_types(const Service& service);

}  // namespace davit::endpoint
