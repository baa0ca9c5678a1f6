/// The hashes FNV-1 and FNV-1a (draft-eastlake-fnv): quick, and no protection from attackers. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace davit {

/// Whether a byte is mixed in before the multiplication (FNV-1a), or after it (FNV-1).
enum class FnvOrder : std::uint8_t { kByteFirst, kProductFirst };

/// The hash of the bytes that were added. `Word`: std::uint32_t or std::uint64_t.
template <typename Word, FnvOrder kOrder = FnvOrder::kByteFirst>
class FnvHash {
 public:
  static_assert(std::is_same_v<Word, std::uint32_t> || std::is_same_v<Word, std::uint64_t>);
  static constexpr bool kIsShort = sizeof(Word) == sizeof(std::uint32_t);
  static constexpr Word kOffset = kIsShort ? Word{0x811c9dc5U} : Word(0xcbf29ce484222325U);
  static constexpr Word kPrime = kIsShort ? Word{0x01000193U} : Word(0x100000001b3U);

  constexpr void add(std::string_view bytes) {
    for (const char each : bytes) {
      const auto byte = static_cast<unsigned char>(each);
      sum_ = kOrder == FnvOrder::kByteFirst ? (sum_ ^ byte) * kPrime : (sum_ * kPrime) ^ byte;
    }
  }
  [[nodiscard]] constexpr Word sum() const { return sum_; }

 private:
  Word sum_ = kOffset;
};

/// FNV-1a with 64 bits.
[[nodiscard]] constexpr std::uint64_t fnv1a_64(std::string_view bytes) {
  FnvHash<std::uint64_t> hash;
  hash.add(bytes);
  return hash.sum();
}

}  // namespace davit
