/// Ranges of addresses. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <davit/kube/ip.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace davit::pools {

using ip::Address;
using ip::Family;

inline constexpr std::array kFamilies{Family::kIPv4, Family::kIPv6};

/// IPv4 before IPv6, each by number.
struct AddressOrder {
  [[nodiscard]] bool operator()(const Address& a, const Address& b) const {
    return a.family != b.family ? a.family < b.family : a.bytes < b.bytes;
  }
};

using AddressSet = std::set<Address, AddressOrder>;

/// Both ends are included, and of one family.
struct Range {
  Address first;
  Address last;

  [[nodiscard]] bool contains(const Address& address) const {
    return address.family == first.family && first.bytes <= address.bytes &&
           address.bytes <= last.bytes;
  }
  [[nodiscard]] bool overlaps(const Range& other) const {
    return contains(other.first) || other.contains(first);
  }
};

/// The address that follows; nothing after the last one of the family.
[[nodiscard]] std::optional<Address> next_of(const Address& address);
/// The address before it; nothing before the first one of the family.
[[nodiscard]] std::optional<Address> previous_of(const Address& address);
/// The number of addresses, 2^63 at most.
[[nodiscard]] std::uint64_t size_of(const Range& range);
/// "192.168.1.200, fd00::1"
[[nodiscard]] std::string joined(const std::vector<Address>& addresses);

}  // namespace davit::pools
