/// Reports the state of this process to its service manager.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <string_view>

#include "lib/base/unique_fd.hpp"

namespace davit {

/// The protocol of sd_notify(3): datagrams to the socket that NOTIFY_SOCKET names. It is one system
/// call a message, for which libsystemd and what it is linked with would stay in memory. Never
/// blocks; a message that cannot be sent is lost, as the service manager then judges by its own
/// time limits. Not thread-safe.
class ServiceNotify {
 public:
  /// `address`: the value of NOTIFY_SOCKET, a path or "@" and an abstract name; empty, or one that
  /// is not a socket's: nothing is sent.
  explicit ServiceNotify(std::string_view address);

  /// The start is complete.
  void ready() const { send("READY=1"); }
  /// The process still works: resets the watchdog of the service.
  void alive() const { send("WATCHDOG=1"); }
  /// The process is about to exit.
  void stopping() const { send("STOPPING=1"); }

 private:
  void send(std::string_view state) const;

  sockaddr_un address_{};
  socklen_t size_ = 0;
  UniqueFd socket_;
};

}  // namespace davit
