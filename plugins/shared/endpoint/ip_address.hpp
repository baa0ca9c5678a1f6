/// IP addresses as pods and Services carry them: read leniently, printed canonically
/// (k8s.io/utils/net.ParseIPSloppy, net.IP.String).
#pragma once

#include <davit/kube/ip.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit::endpoint {

using IpFamily = ip::Family;

/// One address in canonical text. An IPv4-mapped IPv6 address is an IPv4 one.
struct IpAddress {
  IpFamily family = IpFamily::kIPv4;
  std::string text;

  friend bool operator==(const IpAddress&, const IpAddress&) = default;
};

/// Leading zeros in IPv4 octets are allowed and decimal. Nothing if it is not an address.
[[nodiscard]] inline std::optional<IpAddress> parse_ip(std::string_view text) {
  const std::optional<ip::Address> read = ip::Address::parse(text, ip::Zeros::kSkipped);
  if (!read) return std::nullopt;
  const ip::Address address = read->unmapped();
  return IpAddress{address.family, address.text()};
}

}  // namespace davit::endpoint
