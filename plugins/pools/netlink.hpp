/// Routes of the kernel, by rtnetlink.
#pragma once

#include <cstdint>
#include <davit/kube/ip.hpp>
#include <davit/result.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugins/pools/addresses.hpp"

namespace davit::pools {

/// Whether the process may change routes; else kForbidden, with the capability that it lacks.
[[nodiscard]] Status check_network_rights();

/// A route of the kernel.
struct KernelRoute {
  ip::Prefix destination;
  std::optional<Address> gateway;  ///< Nothing: it has none, or several.
  std::uint32_t table = 0;
  std::uint8_t protocol = 0;  ///< Who made it: RTPROT_*.
};

/// A socket to the kernel, of the network namespace of the thread that opens it. Each function
/// waits for the kernel's answer, which takes no time to speak of. For one thread at a time.
class Netlink {
 public:
  [[nodiscard]] static Result<Netlink> open();
  Netlink(Netlink&& other) noexcept;
  Netlink& operator=(Netlink&&) = delete;
  ~Netlink();

  /// The routes to list: of one table, and of one protocol (0: of any).
  struct Choice {
    Family family = Family::kIPv4;
    std::uint32_t table = 0;
    std::uint8_t protocol = 0;
  };
  /// The kernel sends those alone, unless it is older than 4.20.
  [[nodiscard]] Result<std::vector<KernelRoute>> routes(const Choice& choice);
  /// kAlreadyExists; kNotFound: the gateway cannot be reached directly; kForbidden.
  [[nodiscard]] Status add(const KernelRoute& route);
  /// Removes one route of the destination, table and protocol. kNotFound: there is none.
  [[nodiscard]] Status remove(const KernelRoute& route);
  /// The addresses of this machine.
  [[nodiscard]] Result<AddressSet> own_addresses(Family family);

 private:
  explicit Netlink(int socket) : socket_(socket) {}
  class Message;

  [[nodiscard]] Status send(Message& message);
  /// Sends a request for a list, and calls `each`, which fills `out`, with the type and bytes of
  /// each element. A list that changes while the kernel writes it is begun again.
  template <typename Out, typename Each>
  [[nodiscard]] Status list(Message& message, Out& out, const Each& each);
  /// The same once; false: it has changed.
  template <typename Each>
  [[nodiscard]] Result<bool> read_list(Message& message, const Each& each);
  /// Sends a request for a change. The number of the kernel's error; 0: it is done.
  [[nodiscard]] Result<int> acknowledged(Message& message);
  [[nodiscard]] Status change(std::uint16_t type, std::uint16_t flags, const KernelRoute& route);

  int socket_;  // -1: moved away.
  std::uint32_t sequence_ = 0;
};

}  // namespace davit::pools
