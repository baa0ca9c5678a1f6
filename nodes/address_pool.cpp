#include "nodes/address_pool.hpp"

#include <davit/kube/ip.hpp>

namespace davit::sandbox {
namespace {

/// Network, gateway and broadcast addresses.
constexpr std::uint32_t kReserved = 3;

/// Nothing for IPv6 and everything else.
std::optional<std::uint32_t> parse_address(std::string_view text) {
  const std::optional<ip::Address> address = ip::Address::parse(text);
  if (!address || address->family != ip::Family::kIPv4) return std::nullopt;
  return address->number();
}

}  // namespace

std::optional<AddressPool> AddressPool::make(std::string_view cidr) {
  constexpr int kLengthMin = 8;
  constexpr int kLengthMax = 30;  // Beyond it nothing is left beside the reserved ones.
  const std::optional<ip::Prefix> range = ip::Prefix::parse(cidr);
  if (!range || range->family() != ip::Family::kIPv4 || range->length() < kLengthMin ||
      range->length() > kLengthMax) {
    return std::nullopt;
  }
  const std::uint32_t network = range->first().number();
  return AddressPool(network + 2, range->last().number() - network + 1 - kReserved);
}

std::string AddressPool::take() {
  for (std::uint32_t tried = 0; tried < count_; ++tried) {
    const std::uint32_t address = first_ + next_;
    next_ = (next_ + 1) % count_;
    if (taken_.insert(address).second) return ip::Address::of_number(address).text();
  }
  return "";
}

void AddressPool::hold(std::string_view address) {
  if (const auto number = parse_address(address)) taken_.insert(*number);
}

void AddressPool::give_back(std::string_view address) {
  if (const auto number = parse_address(address)) taken_.erase(*number);
}

}  // namespace davit::sandbox
