/// The wishes of a Service. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <davit/cloud_data.hpp>
#include <davit/key.hpp>
#include <davit/kube/service.hpp>
#include <davit/result.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/pools/pool.hpp"

namespace davit::pools {

/// The finalizer of the loop that calls this provider.
inline constexpr std::string_view kCleanupFinalizer = "service.kubernetes.io/load-balancer-cleanup";

/// kube-vip announces the addresses of this annotation. It is also a request, unless it has the
/// text of the other one, which this provider writes beside it.
inline constexpr std::string_view kKubeVip = "kube-vip.io/loadbalancerIPs";
inline constexpr std::string_view kHandedOver = "davit.dev/handed-over";

/// The properties by which two Services may have one address, or not. Rule: docs/spec/cloud.md, F3.
struct Sharing {
  std::string key;              ///< Empty: it shares with none.
  std::set<std::string> ports;  ///< "80/TCP"
  bool is_local = false;        ///< externalTrafficPolicy Local.
  std::string selector;         ///< "a=b,c=d", sorted.

  friend bool operator==(const Sharing&, const Sharing&) = default;
};
[[nodiscard]] bool may_share(const Sharing& a, const Sharing& b);

/// The look of a Service, as it was when it got its addresses. Rule: F4.3.
struct Look {
  Sharing sharing;
  std::string labels;  ///< "a=b,c=d", sorted.

  friend bool operator==(const Look&, const Look&) = default;
};

/// The order of Services that are equal otherwise: the older first.
struct Age {
  std::int64_t created = 0;  ///< Seconds.
  Key key;

  friend auto operator<=>(const Age&, const Age&) = default;
};

/// A Service as a provider of addresses sees it.
struct Claim {
  std::string uid;
  Age age;
  std::vector<Family> families;                 ///< In the order of spec.ipFamilies.
  bool needs_all = true;                        ///< One family alone is not enough.
  std::array<std::optional<Address>, 2> asked;  ///< An element for each family.
  std::string pool;                             ///< The pool that is asked for; empty: any.
  Look look;
  std::vector<std::size_t> fitting;  ///< fitting_pools().
  std::vector<Address> shown;        ///< The addresses of status.loadBalancer.
  Status mistake;                    ///< Ok, or why nothing can be given.

  [[nodiscard]] const std::optional<Address>& asked_of(Family family) const {
    return asked[static_cast<std::size_t>(family)];
  }
};

/// Whether the Service is one for a provider of these classes.
[[nodiscard]] bool wants_addresses(const Service& service, const LoadBalancerClasses& classes);

/// Rule: F2.
[[nodiscard]] Claim read_claim(const Service& service, const Pools& pools);

/// The addresses that the Service's status shows.
[[nodiscard]] std::vector<Address> shown_addresses(const Service& service);
/// Those of them that no other Service may get: all of a Service that the provider serves, and, of
/// one that it no longer serves, those in its pools. Rule: F4.2.
[[nodiscard]] std::vector<Address> used_addresses(const Service& service,
                                                  const LoadBalancerClasses& classes,
                                                  const Pools& pools);
/// The sorted text of a map of labels: "a=b,c=d".
[[nodiscard]] std::string label_text(Value labels);

}  // namespace davit::pools
