/// Checks of a starting host on the cluster around it.
#pragma once

#include <davit/result.hpp>
#include <stop_token>
#include <string>

#include "host/api/rest_client.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// The server's gitVersion: "v1.30.1". Blocks for one request.
[[nodiscard]] Result<std::string> server_version(RestClient& client, const std::stop_token& stop);

/// The holder of kube-controller-manager's Lease if it renewed it within the last minute before
/// `now`; otherwise "", also if the Lease cannot be read (no right, for example). Blocks for one
/// request.
[[nodiscard]] std::string active_controller_manager(RestClient& client, WallTime now,
                                                    const std::stop_token& stop);

}  // namespace davit::host
