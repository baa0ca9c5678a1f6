/// Routes to pods in the kernel of the machine on which davit runs.
#pragma once

#include <davit/cloud.hpp>
#include <functional>
#include <map>
#include <mutex>
#include <set>
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
///
/// A router may have a million routes of others, and lists them in seconds: list() has the kernel
/// look for its own ones only, and the routes that are created until the next list() share one look
/// at all.
class KernelRoutes final : public Routes {
 public:
  using Targets = std::function<Result<std::vector<RouteTarget>>()>;
  /// Lists the routes of a family and table, those of others, too.
  using Everyone =
      std::function<Result<std::vector<KernelRoute>>(Netlink&, const Netlink::Choice&)>;
  /// `targets`: the Nodes of the moment; without them no route is listed.
  KernelRoutes(
      const RouteSettings& settings, Targets targets,
      Everyone everyone = [](Netlink& kernel,
                             const Netlink::Choice& choice) { return kernel.routes(choice); })
      : settings_(settings), targets_(std::move(targets)), everyone_(std::move(everyone)) {}
  ~KernelRoutes() = default;

  [[nodiscard]] CloudReply list(std::string_view cluster) override;
  [[nodiscard]] CloudReply create(const CloudRouteCall& at) override;
  [[nodiscard]] CloudReply remove(const CloudRouteCall& at) override;

 private:
  /// Routes of the table, by their destinations.
  using Found = std::multimap<std::string, KernelRoute, std::less<>>;
  /// The destinations of all Nodes, and who has routes to them.
  struct Look {
    std::set<std::string, std::less<>> destinations{};
    Found routes{};
  };

  [[nodiscard]] Status set(const CloudRoute& route, const Address& hop);
  /// Lists the destinations on this machine, and forgets those whose next hop is not an address of
  /// it any more.
  [[nodiscard]] Status list_local(Netlink& kernel, const std::vector<RouteTarget>& targets,
                                  std::vector<CloudRoute>& out);
  /// Looks for the routes to all Nodes, if one of them lacks its own in `listed`. If that fails
  /// each creation looks by itself, and routes that are not needed go all the same.
  [[nodiscard]] Look look(Netlink& kernel, const std::vector<RouteTarget>& targets,
                          const std::vector<CloudRoute>& listed) const;
  /// All routes to a destination, those of others, too.
  [[nodiscard]] Result<std::vector<KernelRoute>> present(Netlink& kernel,
                                                         const ip::Prefix& destination);
  [[nodiscard]] bool is_own(const KernelRoute& route) const {
    return route.protocol == settings_.protocol;
  }

  const RouteSettings settings_;
  const Targets targets_;
  const Everyone everyone_;
  std::mutex mutex_;
  // Destinations on this machine, which need no route. Guarded.
  RouteTable local_;
  // As of the last list(), with the changes since. Guarded.
  Look look_;
};

}  // namespace davit::pools
