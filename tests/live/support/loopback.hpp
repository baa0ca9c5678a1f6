/// Addresses and listeners on loopback, for the proxies of the live tests.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

#include "tests/live/support/process.hpp"

namespace davit::live {

/// 127.0.0.1:`port`
[[nodiscard]] inline sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// Has a TCP socket listen on a free port, which it returns. Ends the test program when there is no
/// port.
[[nodiscard]] inline int listen_on_loopback(int socket) {
  const sockaddr_in any = loopback(0);
  sockaddr_in bound{};
  socklen_t size = sizeof(bound);
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&any), sizeof(any)) != 0 ||
      ::listen(socket, SOMAXCONN) != 0 ||
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
    give_up("no port for a proxy");
  }
  return ntohs(bound.sin_port);
}

}  // namespace davit::live
