/// Routes to pods in the kernel of the machine on which davit runs.
#pragma once

#include <davit/cloud.hpp>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "plugins/pools/netlink.hpp"
#include "plugins/pools/route_table.hpp"

namespace davit::pools {

/// The facts of a Node that decide which routes are its own.
struct RouteTarget {
  std::string name;
  std::vector<CloudAddress> addresses;
  std::vector<std::string> cidrs;
};

/// The routes of one table and protocol; all others are left alone. They stay when davit ends.
/// Rule: docs/spec/cloud.md, F6.
class KernelRoutes final : public Routes {
 public:
  using Targets = std::function<Result<std::vector<RouteTarget>>()>;
  /// `targets`: the Nodes of the moment; without them no route is listed.
  KernelRoutes(const RouteSettings& settings, Targets targets)
      : settings_(settings), targets_(std::move(targets)) {}
  ~KernelRoutes() = default;

  [[nodiscard]] CloudReply list(std::string_view cluster) override;
  [[nodiscard]] CloudReply create(const CloudRouteCall& at) override;
  [[nodiscard]] CloudReply remove(const CloudRouteCall& at) override;

 private:
  [[nodiscard]] Status set(const CloudRoute& route, const Address& hop);
  [[nodiscard]] bool is_own(const KernelRoute& route) const {
    return route.table == settings_.table && route.protocol == settings_.protocol;
  }

  const RouteSettings settings_;
  const Targets targets_;
  std::mutex mutex_;
  // Destinations on this machine, which need no route. Guarded.
  RouteTable local_;
};

}  // namespace davit::pools
