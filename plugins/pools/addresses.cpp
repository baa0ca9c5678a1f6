#include "plugins/pools/addresses.hpp"

#include <algorithm>
#include <cstddef>

namespace davit::pools {
namespace {

constexpr int kByteBits = 8;

[[nodiscard]] std::size_t bytes_of(Family family) {
  return static_cast<std::size_t>(ip::bits_of(family) / kByteBits);
}

}  // namespace

std::optional<Address> next_of(const Address& address) {
  constexpr std::uint8_t kFull = 0xff;
  Address out = address;
  for (std::size_t i = bytes_of(address.family); i > 0; --i) {
    std::uint8_t& byte = out.bytes[i - 1];
    if (byte != kFull) {
      ++byte;
      return out;
    }
    byte = 0;
  }
  return std::nullopt;
}

std::optional<Address> previous_of(const Address& address) {
  constexpr std::uint8_t kFull = 0xff;
  Address out = address;
  for (std::size_t i = bytes_of(address.family); i > 0; --i) {
    std::uint8_t& byte = out.bytes[i - 1];
    if (byte != 0) {
      --byte;
      return out;
    }
    byte = kFull;
  }
  return std::nullopt;
}

std::uint64_t size_of(const Range& range) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < bytes_of(range.first.family); ++i) {
    if (difference >> (63 - kByteBits) != 0) return kMost;  // A borrow below cannot undo that.
    difference = (difference << kByteBits) + range.last.bytes[i] - range.first.bytes[i];
  }
  return std::min(kMost, difference + 1);
}

std::string joined(const std::vector<Address>& addresses) {
  std::string out;
  for (const Address& each : addresses) out += (out.empty() ? "" : ", ") + each.text();
  return out;
}

}  // namespace davit::pools
