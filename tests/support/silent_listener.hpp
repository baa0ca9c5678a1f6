/// A server that takes connections and never says a word.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "lib/base/unique_fd.hpp"

namespace davit::test {

/// Listens on a free port of the loopback. Connections wait in the kernel's queue; no thread
/// accepts them.
class SilentListener {
 public:
  SilentListener() : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    constexpr int kWaiting = 1024;  // More than any test opens.
    socklen_t size = sizeof address;
    if (::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
        ::listen(fd_.get(), kWaiting) == 0 &&
        ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0) {
      port_ = ntohs(address.sin_port);
    }
  }

  /// 0 when there is none.
  [[nodiscard]] int port() const { return port_; }

 private:
  UniqueFd fd_;
  int port_ = 0;
};

}  // namespace davit::test
