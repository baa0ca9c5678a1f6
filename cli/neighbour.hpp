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

/// Warns if a kube-controller-manager is at work (see active_controller_manager()) and some of
/// `controllers`, which run here, are also upstream's and run under a Lease that the two programs
/// do not share, or under none. Blocks for one request at most.
void warn_of_controller_manager(RestClient& client, WallTime now,
                                const LeaderElectionSettings& election,
                                std::span<const std::string> controllers, const Logger& log,
                                const std::stop_token& stop);

/// The holder of kube-controller-manager's Lease if it renewed it within the last minute before
/// `now`; otherwise "", also if the Lease cannot be read (no right, for example). Blocks for one
/// request.
[[nodiscard]] std::string active_controller_manager(RestClient& client, WallTime now,
                                                    const std::stop_token& stop);

}  // namespace davit::host
