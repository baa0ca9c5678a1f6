/// The fields of a pod that endpoint controllers read.
#pragma once

#include <cstdint>
#include <davit/kube/pod.hpp>
#include <davit/kube/service.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/shared/endpoint/ip_address.hpp"
#include "plugins/shared/endpoint/subset.hpp"

namespace davit::endpoint {

/// The first of status.podIPs that is of this family.
[[nodiscard]] std::optional<IpAddress> pod_ip(const Pod& pod, IpFamily family);

/// The addresses in status.podIPs of this family, sorted by their bytes.
[[nodiscard]] std::vector<std::string> pod_ips(const Pod& pod, IpFamily family);

/// Whether the pod has any address at all.
[[nodiscard]] bool has_ip(const Pod& pod);

/// spec.hostname where it makes the pod's name below the Service; else empty
/// (endpointutil.ShouldSetHostname).
[[nodiscard]] std::string_view hostname_in(const Pod& pod, const Service& service);

/// The number that a Service port's targetPort means on this pod: itself, or the container port of
/// that name and protocol, sidecars after containers
/// (staging/src/k8s.io/endpointslice.FindPort). Nothing when the pod has none.
[[nodiscard]] std::optional<std::int64_t> target_port(const Pod& pod, Value service_port);

/// The endpoint port of a Service port that resolves to `number` on a pod.
[[nodiscard]] EndpointPort endpoint_port(Value service_port, std::int64_t number);

/// A port's protocol; TCP when the server has not filled it in.
[[nodiscard]] std::string_view protocol_of(Value port);

}  // namespace davit::endpoint
