/// The routes to pods as lines of a text, and the choice of their next hops. Pure.
#pragma once

#include <cstdint>
#include <davit/cloud_data.hpp>
#include <davit/kube/ip.hpp>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit::pools {

/// The place of the routes. Rule: docs/spec/cloud.md, F6.
enum class RouteKind : std::uint8_t {
  kNone,    ///< Routes are not offered.
  kTable,   ///< A ConfigMap.
  kKernel,  ///< The kernel of the machine on which davit runs.
};

struct RouteSettings {
  RouteKind kind = RouteKind::kNone;
  std::uint32_t table = 254;    ///< In the kernel; 254: the main one.
  std::uint8_t protocol = 157;  ///< In the kernel: by it davit knows its routes.

  friend bool operator==(const RouteSettings&, const RouteSettings&) = default;
};

/// The member `routes` of the configuration. kInvalid names the place.
[[nodiscard]] Result<RouteSettings> read_route_settings(Value routes);

/// One line: "10.244.1.0/24 192.168.1.11 n1".
struct RouteLine {
  std::string hop;
  std::string node;

  friend bool operator==(const RouteLine&, const RouteLine&) = default;
};

/// Lines by their destinations, sorted as texts. Rule: docs/spec/cloud.md, F6.
using RouteTable = std::map<std::string, RouteLine, std::less<>>;

/// Lines that have another form are left out.
[[nodiscard]] RouteTable parse_routes(std::string_view text);
[[nodiscard]] std::string routes_text(const RouteTable& table);

/// The first InternalIP of the destination's family, else the first ExternalIP of it.
[[nodiscard]] std::optional<std::string> next_hop(const std::vector<CloudAddress>& addresses,
                                                  std::string_view destination);
/// The next hop of a route that is to be made. kUnavailable: its Node has no address of the
/// family.
[[nodiscard]] Result<std::string> next_hop(const CloudRoute& route);

}  // namespace davit::pools
