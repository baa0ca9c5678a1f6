#include "lib/base/service_notify.hpp"

#include <cstddef>
#include <cstring>

namespace davit {

ServiceNotify::ServiceNotify(std::string_view address) {
  const bool is_name = address.starts_with('/') || address.starts_with('@');
  if (!is_name || address.size() >= sizeof address_.sun_path) return;
  address_.sun_family = AF_UNIX;
  std::memcpy(address_.sun_path, address.data(), address.size());
  size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size());
  if (address_.sun_path[0] == '@') {
    address_.sun_path[0] = '\0';
  } else {
    ++size_;  // A path ends with a zero.
  }
  socket_ = UniqueFd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

void ServiceNotify::send(std::string_view state) const {
  if (!socket_.valid()) return;
  static_cast<void>(::sendto(socket_.get(), state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                             reinterpret_cast<const sockaddr*>(&address_), size_));
}

}  // namespace davit
