/// FNV-1a with 128 bits, by which upstream orders ports and subsets (hash/fnv.New128a).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace davit::endpoint {

/// Two big-endian halves; their order is that of the bytes.
struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
};

/// http://www.isthe.com/chongo/tech/comp/fnv/: the prime is 2^88 + 0x13b.
[[nodiscard]] constexpr Hash128 fnv1a_128(std::string_view text) {
  constexpr std::uint64_t kPrimeLow = 0x13b;
  constexpr unsigned kPrimeShift = 88 - 64;
  Hash128 hash{0x6c62272e07bb0142U, 0x62b821756295c58dU};
  for (const char c : text) {
    hash.low ^= static_cast<unsigned char>(c);
    // low * 0x13b needs 73 bits: multiply the halves of `low` apart.
    const std::uint64_t bottom = (hash.low & 0xffffffffU) * kPrimeLow;
    const std::uint64_t top = (hash.low >> 32U) * kPrimeLow + (bottom >> 32U);
    const std::uint64_t high = hash.high * kPrimeLow + (hash.low << kPrimeShift) + (top >> 32U);
    hash.low = (top << 32U) | (bottom & 0xffffffffU);
    hash.high = high;
  }
  return hash;
}

}  // namespace davit::endpoint
