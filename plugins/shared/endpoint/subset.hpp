/// core/v1 EndpointSubset and its parts as plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/kube/endpoints.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/shared/endpoint/object_reference.hpp"

namespace davit::endpoint {

struct EndpointAddress {
  std::string ip;
  std::string hostname;
  std::optional<std::string> node_name;  ///< Absent and empty differ.
  std::optional<ObjectReference> target;
};

struct EndpointPort {
  std::string name;
  std::int64_t port = 0;
  std::string protocol;
  std::optional<std::string> app_protocol;

  friend auto operator<=>(const EndpointPort&, const EndpointPort&) = default;
};

struct EndpointSubset {
  std::vector<EndpointAddress> ready;      ///< `addresses`
  std::vector<EndpointAddress> not_ready;  ///< `notReadyAddresses`
  std::vector<EndpointPort> ports;
};

using Subsets = std::vector<EndpointSubset>;

/// Deep and in order; references are compared without their resourceVersion
/// (staging/src/k8s.io/endpointslice/util.EndpointsEqualBeyondHash's reading for Endpoints).
[[nodiscard]] bool same_subsets(const Subsets& a, const Subsets& b);

/// One form for each meaning (pkg/api/v1/endpoints.RepackSubsets): every address once, addresses
/// with the same ports together, all sorted. An address that is ready and not ready for one port is
/// not ready.
[[nodiscard]] Subsets canonical(const Subsets& subsets);

/// The text whose hash orders ports, and subsets: `%#v` of Go as upstream's dump prints it.
[[nodiscard]] std::string dump_text(const EndpointPort& port);
[[nodiscard]] std::string dump_text(const EndpointSubset& subset);

/// The number of addresses, ready or not; an address in two subsets counts twice.
[[nodiscard]] std::size_t address_count(const Subsets& subsets);

/// The subsets of an object. Members of a wrong type read as if they were absent.
[[nodiscard]] Subsets read_subsets(const Endpoints& endpoints);

inline constexpr std::string_view kTriggerTimeAnnotation =
    "endpoints.kubernetes.io/last-change-trigger-time";
/// The annotation of an object that a leader election uses as a lock.
inline constexpr std::string_view kLeaderAnnotation = "control-plane.alpha.kubernetes.io/leader";

}  // namespace davit::endpoint
