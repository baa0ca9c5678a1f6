/// What endpoint controllers read of a pod.
#pragma once

#include <cstdint>
#include <davit/kube/pod.hpp>
#include <davit/kube/service.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/endpoint/ip_address.hpp"

namespace davit::endpoint {

/// The first of status.podIPs that is of this family.
[[nodiscard]] std::optional<IpAddress> pod_ip(const Pod& pod, IpFamily family);

/// Whether the pod has any address at all.
[[nodiscard]] bool has_ip(const Pod& pod);

/// spec.hostname where it makes the pod's name below the Service; else empty
/// (endpointutil.ShouldSetHostname).
[[nodiscard]] std::string_view hostname_in(const Pod& pod, const Service& service);

/// The number that a Service port's targetPort means on this pod: itself, or the container port of
/// that name and protocol, sidecars after containers
/// (staging/src/k8s.io/endpointslice.FindPort). Nothing when the pod has none.
[[nodiscard]] std::optional<std::int64_t> target_port(const Pod& pod, Value service_port);

/// A port's protocol; TCP when the server has not filled it in.
[[nodiscard]] std::string_view protocol_of(Value port);

}  // namespace davit::endpoint
