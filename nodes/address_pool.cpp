#include "nodes/address_pool.hpp"

#include <charconv>

namespace davit::sandbox {
namespace {

constexpr int kAddressBits = 32;
/// Network, gateway and broadcast addresses.
constexpr std::uint32_t kReserved = 3;

std::optional<std::uint32_t> take_number(std::string_view& text, std::uint32_t max) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value > max) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// Reads an address off the front of `text`.
std::optional<std::uint32_t> take_address(std::string_view& text) {
  std::uint32_t address = 0;
  for (int part = 0; part < 4; ++part) {
    if (part > 0) {
      if (!text.starts_with('.')) return std::nullopt;
      text.remove_prefix(1);
    }
    const std::optional<std::uint32_t> value = take_number(text, 255);
    if (!value) return std::nullopt;
    address = address << 8 | *value;
  }
  return address;
}

std::optional<std::uint32_t> parse_address(std::string_view text) {
  const std::optional<std::uint32_t> address = take_address(text);
  return text.empty() ? address : std::nullopt;
}

std::string text_of(std::uint32_t address) {
  return std::to_string(address >> 24) + '.' + std::to_string(address >> 16 & 255) + '.' +
         std::to_string(address >> 8 & 255) + '.' + std::to_string(address & 255);
}

}  // namespace

std::optional<AddressPool> AddressPool::make(std::string_view cidr) {
  const std::optional<std::uint32_t> address = take_address(cidr);
  if (!address || !cidr.starts_with('/')) return std::nullopt;
  cidr.remove_prefix(1);
  const std::optional<std::uint32_t> bits = take_number(cidr, kAddressBits);
  constexpr std::uint32_t kBitsMin = 8;
  constexpr std::uint32_t kBitsMax = 30;  // Below this nothing is left beside the reserved ones.
  if (!bits || !cidr.empty() || *bits < kBitsMin || *bits > kBitsMax) return std::nullopt;
  const std::uint32_t size = 1U << (kAddressBits - *bits);
  const std::uint32_t network = *address & ~(size - 1);
  return AddressPool(network + 2, size - kReserved);
}

std::string AddressPool::take() {
  for (std::uint32_t tried = 0; tried < count_; ++tried) {
    const std::uint32_t address = first_ + next_;
    next_ = (next_ + 1) % count_;
    if (taken_.insert(address).second) return text_of(address);
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
