/// Connections that another process makes, for one that may not: that of an isolated plugin.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <string>

#include "lib/base/unique_fd.hpp"

namespace davit::host {

/// The name or address of a server, IPv6 without brackets, and its port in decimal.
struct SocketAddress {
  std::string host;
  std::string port;

  friend bool operator==(const SocketAddress&, const SocketAddress&) = default;
};

/// Returns a TCP socket that is connected to a server. May block for as long as connecting takes;
/// any thread.
using SocketSource = std::function<Result<UniqueFd>(const SocketAddress& server)>;

}  // namespace davit::host
