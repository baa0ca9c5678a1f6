#include "plugins/pools/netlink.hpp"

#include <linux/capability.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

namespace davit::pools {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// A part of a longer answer: the kernel sends no longer ones.
constexpr std::size_t kPartMax = std::size_t{64} * 1024;
/// The kernel answers at once, or not at all.
constexpr timeval kAnswerLimit{10, 0};
/// Lists that a change has torn are asked for again as often as this.
constexpr int kListTries = 10;

/// The rights of the thread may be those of a user namespace that does not own the network.
constexpr std::string_view kNoRights =
    "the kernel lets davit change no routes: it needs CAP_NET_ADMIN in the user namespace that "
    "owns "
    "its network; a rootless container with the network of its host lacks it, so run davit as the "
    "host's root or in a network of the container";

Status failed(std::string_view what, int number) {
  return {Code::kUnavailable,
          std::string(what) + ": " + std::error_code(number, std::generic_category()).message()};
}

/// A struct at the beginning of some bytes; all zero if they are too few.
template <typename T>
T read(Bytes bytes) {
  T out{};
  if (bytes.size() >= sizeof(T)) std::memcpy(&out, bytes.data(), sizeof(T));
  return out;
}

std::size_t aligned(std::size_t size) {
  constexpr std::size_t kUnit = NLMSG_ALIGNTO;
  return (size + kUnit - 1) / kUnit * kUnit;
}

/// The bytes after the first `size`, which the kernel has aligned.
Bytes after(Bytes bytes, std::size_t size) {
  return bytes.subspan(std::min(aligned(size), bytes.size()));
}

std::uint8_t family_number(Family family) {
  return family == Family::kIPv6 ? std::uint8_t{AF_INET6} : std::uint8_t{AF_INET};
}

std::size_t size_of(Family family) { return static_cast<std::size_t>(ip::bits_of(family)) / 8; }

std::optional<Address> read_address(Family family, Bytes bytes) {
  if (bytes.size() < size_of(family)) return std::nullopt;
  Address out;
  out.family = family;
  std::copy_n(bytes.begin(), size_of(family), out.bytes.begin());
  return out;
}

/// Calls `each` with the type and bytes of each attribute.
template <typename Each>
void read_attributes(Bytes bytes, const Each& each) {
  while (bytes.size() >= sizeof(rtattr)) {
    const auto head = read<rtattr>(bytes);
    if (head.rta_len < sizeof(rtattr) || head.rta_len > bytes.size()) return;
    each(head.rta_type, bytes.subspan(sizeof(rtattr), head.rta_len - sizeof(rtattr)));
    bytes = after(bytes, head.rta_len);
  }
}

std::optional<KernelRoute> read_route(Family family, Bytes bytes) {
  const auto head = read<rtmsg>(bytes);
  if (head.rtm_family != family_number(family) || (head.rtm_flags & RTM_F_CLONED) != 0) {
    return std::nullopt;
  }
  Address destination;
  destination.family = family;
  destination.bytes = {};
  KernelRoute out{ip::Prefix(destination, 0), std::nullopt, head.rtm_table, head.rtm_protocol};
  read_attributes(after(bytes, sizeof(rtmsg)), [&](std::uint16_t type, Bytes value) {
    if (type == RTA_DST) destination = read_address(family, value).value_or(destination);
    if (type == RTA_GATEWAY) out.gateway = read_address(family, value);
    if (type == RTA_TABLE) out.table = read<std::uint32_t>(value);
  });
  out.destination = ip::Prefix(destination, head.rtm_dst_len);
  return out;
}

/// The result of a change, by the number of the kernel's error.
Status outcome(std::uint16_t type, int number) {
  if (number == 0) return {};
  if (number == EPERM) return {Code::kForbidden, std::string(kNoRights)};
  Status out = failed("the kernel refuses", number);
  if (type == RTM_DELROUTE) {
    return number == ESRCH ? Status(Code::kNotFound, out.message()) : out;
  }
  if (number == EEXIST) return {Code::kAlreadyExists, out.message()};
  const bool is_far = number == ENETUNREACH || number == EHOSTUNREACH || number == EINVAL;
  return is_far ? Status(Code::kNotFound, out.message()) : out;
}

}  // namespace

Status check_network_rights() {
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
  const bool is_known = ::syscall(SYS_capget, &head, data.data()) == 0;
  if (is_known && (data.front().effective & (1U << unsigned{CAP_NET_ADMIN})) != 0) return {};
  return {Code::kForbidden, "routes in the kernel need CAP_NET_ADMIN, which this process lacks"};
}

/// A request, which grows while it is written.
class Netlink::Message {
 public:
  Message(std::uint16_t type, std::uint16_t flags) {
    nlmsghdr head{};
    head.nlmsg_type = type;
    head.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
    put(head);
  }
  template <typename T>
  void put(const T& value) {
    std::array<std::uint8_t, sizeof(T)> bytes{};
    std::memcpy(bytes.data(), &value, sizeof(T));
    append(bytes);
  }
  void attribute(std::uint16_t type, Bytes value) {
    rtattr head{};
    head.rta_type = type;
    head.rta_len = static_cast<std::uint16_t>(sizeof(head) + value.size());
    put(head);
    append(value);
  }
  void attribute(std::uint16_t type, const Address& address) {
    attribute(type, Bytes(address.bytes).first(size_of(address.family)));
  }
  void attribute(std::uint16_t type, std::uint32_t number) {
    std::array<std::uint8_t, sizeof(number)> bytes{};
    std::memcpy(bytes.data(), &number, sizeof(number));
    attribute(type, Bytes(bytes));
  }
  /// The bytes, with their number and that of the request in the head.
  [[nodiscard]] Bytes finish(std::uint32_t sequence) {
    auto head = read<nlmsghdr>(bytes_);
    head.nlmsg_len = static_cast<std::uint32_t>(bytes_.size());
    head.nlmsg_seq = sequence;
    std::memcpy(bytes_.data(), &head, sizeof(head));
    return bytes_;
  }

 private:
  void append(Bytes bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    bytes_.resize(aligned(bytes_.size()));
  }
  std::vector<std::uint8_t> bytes_;
};

Result<Netlink> Netlink::open() {
  const int made = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (made < 0) return failed("no socket to the kernel's routes", errno);
  static_cast<void>(
      ::setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &kAnswerLimit, sizeof(kAnswerLimit)));
  // Without it the kernel ignores the filter and lists everything.
  constexpr int kOn = 1;
  static_cast<void>(::setsockopt(made, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &kOn, sizeof(kOn)));
  return Netlink(made);
}

Netlink::Netlink(Netlink&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), sequence_(other.sequence_) {}

Netlink::~Netlink() {
  if (socket_ >= 0) ::close(socket_);
}

Status Netlink::send(Message& message) {
  const Bytes bytes = message.finish(++sequence_);
  if (::send(socket_, bytes.data(), bytes.size(), 0) < 0) {
    return failed("the kernel takes no request for routes", errno);
  }
  return {};
}

template <typename Out, typename Each>
Status Netlink::list(Message& message, Out& out, const Each& each) {
  for (int attempt = 0; attempt < kListTries; ++attempt) {
    out.clear();
    const Result<bool> is_whole = read_list(message, each);
    if (!is_whole) return is_whole.error();
    if (*is_whole) return {};
  }
  return failed("the routes change", EAGAIN);
}

template <typename Each>
Result<bool> Netlink::read_list(Message& message, const Each& each) {
  if (Status s = send(message); !s.ok()) return s;
  bool is_whole = true;
  std::vector<std::uint8_t> buffer(kPartMax);
  while (true) {
    const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("the kernel does not answer", errno);
    Bytes rest = Bytes(buffer).first(static_cast<std::size_t>(got));
    while (rest.size() >= sizeof(nlmsghdr)) {
      const auto head = read<nlmsghdr>(rest);
      if (head.nlmsg_len < sizeof(nlmsghdr) || head.nlmsg_len > rest.size()) break;
      const Bytes content = rest.subspan(sizeof(nlmsghdr), head.nlmsg_len - sizeof(nlmsghdr));
      rest = after(rest, head.nlmsg_len);
      if (head.nlmsg_seq != sequence_) continue;  // The end of an answer that was given up.
      // Read to its end, before which the kernel begins no other list.
      if ((head.nlmsg_flags & NLM_F_DUMP_INTR) != 0) is_whole = false;
      if (head.nlmsg_type == NLMSG_DONE || head.nlmsg_type == NLMSG_ERROR) {
        // Both begin with the number of an error, which is negative.
        const int number = read<std::int32_t>(content);
        if (number == -ENOENT) return is_whole;  // There is no such table.
        if (number < 0) return failed("the kernel gives no list", -number);
        return is_whole;
      }
      each(head.nlmsg_type, content);
    }
  }
}

Result<std::vector<KernelRoute>> Netlink::routes(const Choice& choice) {
  Message message(RTM_GETROUTE, NLM_F_DUMP);
  rtmsg head{};
  head.rtm_family = family_number(choice.family);
  head.rtm_protocol = choice.protocol;
  message.put(head);
  message.attribute(RTA_TABLE, choice.table);
  std::vector<KernelRoute> out;
  Status listed = list(message, out, [&](std::uint16_t type, Bytes content) {
    if (type != RTM_NEWROUTE) return;
    const auto route = read_route(choice.family, content);
    if (!route || route->table != choice.table) return;
    if (choice.protocol == 0 || route->protocol == choice.protocol) out.push_back(*route);
  });
  if (!listed.ok()) return listed;
  return out;
}

Result<AddressSet> Netlink::own_addresses(Family family) {
  Message message(RTM_GETADDR, NLM_F_DUMP);
  ifaddrmsg head{};
  head.ifa_family = family_number(family);
  message.put(head);
  AddressSet out;
  Status listed = list(message, out, [&](std::uint16_t type, Bytes content) {
    if (type != RTM_NEWADDR || read<ifaddrmsg>(content).ifa_family != family_number(family)) return;
    // IFA_ADDRESS of a point-to-point link is the machine at its other end.
    std::optional<Address> local;
    std::optional<Address> either;
    read_attributes(after(content, sizeof(ifaddrmsg)), [&](std::uint16_t kind, Bytes value) {
      if (kind == IFA_LOCAL) local = read_address(family, value);
      if (kind == IFA_ADDRESS) either = read_address(family, value);
    });
    if (local || either) out.insert(local ? *local : *either);
  });
  if (!listed.ok()) return listed;
  return out;
}

Status Netlink::change(std::uint16_t type, std::uint16_t flags, const KernelRoute& route) {
  const Family family = route.destination.family();
  Message message(type, static_cast<std::uint16_t>(NLM_F_ACK | flags));
  rtmsg head{};
  head.rtm_family = family_number(family);
  head.rtm_dst_len = static_cast<std::uint8_t>(route.destination.length());
  head.rtm_table = RT_TABLE_UNSPEC;  // The attribute has it.
  head.rtm_protocol = route.protocol;
  head.rtm_scope = type == RTM_DELROUTE ? std::uint8_t{RT_SCOPE_NOWHERE} : std::uint8_t{0};
  head.rtm_type = type == RTM_DELROUTE ? std::uint8_t{RTN_UNSPEC} : std::uint8_t{RTN_UNICAST};
  message.put(head);
  message.attribute(RTA_DST, route.destination.first());
  if (route.gateway) message.attribute(RTA_GATEWAY, *route.gateway);
  message.attribute(RTA_TABLE, route.table);
  const Result<int> number = acknowledged(message);
  return number ? outcome(type, *number) : number.error();
}

Result<int> Netlink::acknowledged(Message& message) {
  if (Status s = send(message); !s.ok()) return s;
  std::array<std::uint8_t, 4096> buffer{};
  while (true) {
    const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("the kernel does not answer", errno);
    const Bytes bytes = Bytes(buffer).first(static_cast<std::size_t>(got));
    const auto head = read<nlmsghdr>(bytes);
    if (head.nlmsg_seq != sequence_ || head.nlmsg_type != NLMSG_ERROR) continue;
    return -read<nlmsgerr>(after(bytes, sizeof(nlmsghdr))).error;
  }
}

Status Netlink::add(const KernelRoute& route) {
  return change(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, route);
}
Status Netlink::remove(const KernelRoute& route) { return change(RTM_DELROUTE, 0, route); }

}  // namespace davit::pools
