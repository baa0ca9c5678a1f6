/// The process that a command line of kube-controller-manager describes. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/upstream/controllers.hpp"
#include "host/upstream/given_flags.hpp"

namespace davit::host {

/// kube-controller-manager's Lease, unless its flags name another one.
inline constexpr std::string_view kUpstreamLease = "kube-controller-manager";
inline constexpr std::string_view kUpstreamLeaseNamespace = "kube-system";

/// A kube-controller-manager, as far as its flags describe it.
struct UpstreamProcess {
  bool elects = true;
  std::string lease = std::string(kUpstreamLease);
  std::string lease_namespace = std::string(kUpstreamLeaseNamespace);
  std::vector<std::string> controllers = {"*"};  ///< Canonical names, "*", and "-name".
  bool has_token_key = false;  ///< Then --controllers does not switch the tokens' controller off.

  /// Values that cannot be read count as not given.
  [[nodiscard]] static UpstreamProcess of(const std::vector<GivenFlag>& flags);

  /// Whether the process would run this controller. Feature gates are not considered.
  [[nodiscard]] bool runs(const UpstreamController& controller) const;
};

/// The list with the canonical name in place of each alias.
[[nodiscard]] std::vector<std::string> canonical_controllers(const std::vector<std::string>& list);

}  // namespace davit::host
