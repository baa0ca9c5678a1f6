/// Checks of a starting host on the cluster around it.
#pragma once

#include <davit/result.hpp>
#include <span>
#include <stop_token>
#include <string>

#include "host/api/rest_client.hpp"
#include "host/config/manifest.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// The server's gitVersion: "v1.30.1". Blocks for one request.
[[nodiscard]] Result<std::string> server_version(RestClient& client, const std::stop_token& stop);

/// The host that starts, as far as it matters to a kube-controller-manager beside it.
struct NeighbourTerms {
  const LeaderElectionSettings& election;
  std::span<const std::string> controllers;  ///< Those that are to run here.
  /// --controllers. Without "*" the operator has chosen what runs here.
  std::span<const std::string> list;
  /// kWarn: --allow-kube-controller-manager.
  enum class Beside { kRefuse, kWarn } beside = Beside::kRefuse;
};

/// Keeps two programs from acting on the same objects. kConflict, in one line for the user: a
/// kube-controller-manager holds its Lease and renews it, and some of `controllers` are also its
/// own and run here under another Lease, or under none. Its pod, where there is one, says which
/// controllers it runs; without a pod they are those of its defaults. Warns instead of failing if
/// `terms` allow it, or if the operator has chosen the controllers and there is no pod.
///
/// Blocks for two requests, and before it refuses until the holder is seen to renew the Lease, or
/// its time has run out: a process that is gone leaves a Lease that looks like that of a live one.
/// kCancelled: `stop`.
[[nodiscard]] Status check_neighbour(RestClient& client, Clock& clock, const NeighbourTerms& terms,
                                     const Logger& log, const std::stop_token& stop);

}  // namespace davit::host
