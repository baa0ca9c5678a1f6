/// One endpoint of an EndpointSlice, and the ports of one, as plain values.
#pragma once

#include <davit/json_writer.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/shared/endpoint/object_reference.hpp"
#include "plugins/shared/endpoint/subset.hpp"

namespace davit::endpoint {

/// An absent condition is not a false one.
struct EndpointConditions {
  std::optional<bool> ready;
  std::optional<bool> serving;
  std::optional<bool> terminating;

  friend bool operator==(const EndpointConditions&, const EndpointConditions&) = default;
};

/// The zones and nodes that an endpoint is meant for.
struct EndpointHints {
  std::vector<std::string> zones;
  std::vector<std::string> nodes;

  [[nodiscard]] bool empty() const { return zones.empty() && nodes.empty(); }
  friend bool operator==(const EndpointHints&, const EndpointHints&) = default;
};

struct SliceEndpoint {
  std::vector<std::string> addresses;  ///< Sorted.
  EndpointConditions conditions;
  std::string hostname;  ///< Empty: absent.
  std::optional<ObjectReference> target;
  std::optional<std::string> node_name;
  std::optional<std::string> zone;
  EndpointHints hints;

  /// Members of a wrong type read as if they were absent.
  [[nodiscard]] static SliceEndpoint read(Value value);
  void write(JsonWriter& out) const;

  [[nodiscard]] bool is_ready() const { return conditions.ready.value_or(false); }
  /// Equal for two states of the same endpoint: addresses, hostname, namespace and name of the pod
  /// (endpointsliceutil.EndpointSet's hash).
  [[nodiscard]] std::string identity() const;
  /// Whether nothing that counts differs from an endpoint of the same identity; hints do not count
  /// (endpointsliceutil.EndpointsEqualBeyondHash).
  [[nodiscard]] bool same_state(const SliceEndpoint& other) const;
};

void write_endpoints(JsonWriter& out, std::span<const SliceEndpoint> endpoints);

/// The prefix of the names of a Service's slices: "<name>-", without the dash only where no valid
/// name could begin so.
[[nodiscard]] std::string slice_name_prefix(std::string_view service_name);

using SlicePorts = std::vector<EndpointPort>;

/// The ports of a stored slice.
[[nodiscard]] SlicePorts read_slice_ports(Value ports);
/// In the order in which upstream writes them: by the hash of each one's text.
[[nodiscard]] SlicePorts in_written_order(SlicePorts ports);
/// Sorted, so that equal sets of ports are equal: names a group of endpoints.
[[nodiscard]] SlicePorts as_group(SlicePorts ports);
void write_slice_ports(JsonWriter& out, const SlicePorts& ports);

/// The text whose hash orders the ports of a slice.
[[nodiscard]] std::string slice_dump_text(const EndpointPort& port);

}  // namespace davit::endpoint
