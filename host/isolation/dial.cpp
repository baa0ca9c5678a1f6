#include "host/isolation/dial.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <system_error>

namespace davit::host {
namespace {

using Moment = std::chrono::steady_clock::time_point;

struct ReleaseAddresses {
  void operator()(addrinfo* all) const { freeaddrinfo(all); }
};
using Addresses = std::unique_ptr<addrinfo, ReleaseAddresses>;

Result<Addresses> resolve(const SocketAddress& server) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(server.host.c_str(), server.port.c_str(), &hints, &found);
  if (code == 0) return Addresses(found);
  return Status(Code::kUnavailable, "cannot resolve " + server.host + ": " + gai_strerror(code));
}

/// The errno of connecting to one address; 0: `socket` is connected.
int connect_to(const addrinfo& address, Moment end, UniqueFd& socket) {
  socket = UniqueFd(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return errno;
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  int ready = 0;
  do {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd wait{socket.get(), POLLOUT, 0};
    ready = poll(&wait, 1, static_cast<int>(std::max<long>(left.count(), 0)));
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) return ready == 0 ? ETIMEDOUT : errno;
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

}  // namespace

Result<UniqueFd> dial(const SocketAddress& server, std::chrono::milliseconds limit) {
  const Result<Addresses> addresses = resolve(server);
  if (!addresses) return addresses.error();
  const Moment end = std::chrono::steady_clock::now() + limit;
  int error = 0;
  for (const addrinfo* each = addresses->get(); each != nullptr; each = each->ai_next) {
    UniqueFd socket;
    error = connect_to(*each, end, socket);
    if (error == 0) return socket;
  }
  return Status(Code::kUnavailable, "cannot connect to " + server.host + ":" + server.port + ": " +
                                        std::generic_category().message(error));
}

}  // namespace davit::host
