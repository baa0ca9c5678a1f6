/// The configuration of the loops. Rule: docs/spec/cloud.md, 0.2.
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <string>

namespace davit::cloud {

/// The service controller's.
struct Options {
  std::string cluster = "kubernetes";  ///< The name of the cluster, which each call has.
};
/// kInvalid names the member.
[[nodiscard]] Result<Options> read_options(Value config);

/// The route controller's.
struct RouteOptions {
  std::string cluster = "kubernetes";
  bool is_on = true;                           ///< --configure-cloud-routes
  Duration period = std::chrono::seconds(10);  ///< From the begin of a pass to the next.
  std::string cluster_cidrs;                   ///< Not judged yet: cidrs::read_cluster_cidrs.
};
[[nodiscard]] Result<RouteOptions> read_route_options(Value config);

/// Those of the controller of machines that are gone.
struct LifecycleOptions {
  Duration period = std::chrono::seconds(5);  ///< From the end of a pass to the next.
};
[[nodiscard]] Result<LifecycleOptions> read_lifecycle_options(Value config);

/// Those of the controller of new Nodes.
struct NodeOptions {
  Duration address_period = std::chrono::minutes(5);  ///< From one look at addresses to the next.
  std::uint32_t address_workers = 0;                  ///< 0: as many as for new Nodes.
};
[[nodiscard]] Result<NodeOptions> read_node_options(Value config);

}  // namespace davit::cloud
