/// The configuration.
#pragma once

#include <davit/cloud_data.hpp>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <string>

#include "plugins/pools/inventory.hpp"
#include "plugins/pools/pool.hpp"
#include "plugins/pools/route_table.hpp"

namespace davit::pools {

/// Rule: docs/spec/cloud.md, F1.
struct Options {
  Pools pools;
  LoadBalancerClasses classes;
  std::string ip_mode = "VIP";  ///< Or "Proxy".
  /// Whether a Service gets another address if its own is in no pool any more.
  bool reassigns = false;
  /// Whether kube-vip learns the addresses, from an annotation.
  bool hands_over = false;
  Inventory inventory;
  RouteSettings routes;
};

/// kInvalid names the place: "pools[0].addresses[1]: …".
[[nodiscard]] Result<Options> read_options(Value config);

}  // namespace davit::pools
