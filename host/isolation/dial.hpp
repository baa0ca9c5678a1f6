/// TCP connections that the host makes for a child process.
#pragma once

#include <chrono>
#include <davit/result.hpp>

#include "host/transport/socket_source.hpp"
#include "lib/base/unique_fd.hpp"

namespace davit::host {

/// Resolves the name and connects to its addresses in turn, until one accepts or `limit` is over
/// (looking up the name is not part of it). The socket does not block. kUnavailable: one line.
[[nodiscard]] Result<UniqueFd> dial(const SocketAddress& server, std::chrono::milliseconds limit);

}  // namespace davit::host
