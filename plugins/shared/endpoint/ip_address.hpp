/// IP addresses as pods and Services carry them: read leniently, printed canonically
/// (k8s.io/utils/net.ParseIPSloppy, net.IP.String).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace davit::endpoint {

enum class IpFamily { kIPv4, kIPv6 };

/// One address in canonical text: IPv4 dotted without leading zeros, IPv6 as RFC 5952 has it. An
/// IPv4-mapped IPv6 address is an IPv4 one.
struct IpAddress {
  IpFamily family = IpFamily::kIPv4;
  std::string text;

  friend bool operator==(const IpAddress&, const IpAddress&) = default;
};

/// Leading zeros in IPv4 octets are allowed and decimal; zones are not. Nothing if it is not an
/// address.
[[nodiscard]] std::optional<IpAddress> parse_ip(std::string_view text);

/// "IPv4" or "IPv6".
[[nodiscard]] std::optional<IpFamily> parse_family(std::string_view text);
/// The addressType of a slice.
[[nodiscard]] std::string_view type_name(IpFamily family);

}  // namespace davit::endpoint
