/// IP addresses and prefixes, as netip.ParseAddr and netip.ParsePrefix read them. Pure.
#pragma once

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace davit::ip {

/// The version of the Internet Protocol that an address belongs to.
enum class Family : std::uint8_t { kIPv4, kIPv6 };

/// "IPv4" or "IPv6", as fields of objects have it.
[[nodiscard]] constexpr std::string_view family_name(Family family) {
  return family == Family::kIPv4 ? "IPv4" : "IPv6";
}

/// The number of bits of an address.
[[nodiscard]] constexpr int bits_of(Family family) { return family == Family::kIPv4 ? 32 : 128; }

/// One address.
struct Address {
  Family family = Family::kIPv4;
  std::array<std::uint8_t, 16> bytes{};  ///< In network order; IPv4 has the first four.

  /// Nothing if `text` is no address. Zones and leading zeros are refused.
  [[nodiscard]] static std::optional<Address> parse(std::string_view text) {
    constexpr std::size_t kTextMax = 45;  // Six words of IPv6 and an IPv4 address.
    if (text.size() > kTextMax) return std::nullopt;
    Address out;
    out.family = text.find(':') == text.npos ? Family::kIPv4 : Family::kIPv6;
    if (inet_pton(out.protocol(), std::string(text).c_str(), out.bytes.data()) != 1) {
      return std::nullopt;
    }
    return out;
  }

  /// The canonical form (RFC 5952).
  [[nodiscard]] std::string text() const {
    std::array<char, INET6_ADDRSTRLEN> out{};
    return inet_ntop(protocol(), bytes.data(), out.data(), out.size());
  }

  /// The bit with this number, counted from the left, from 0.
  [[nodiscard]] bool bit(int number) const {
    return (bytes[byte_of(number)] & mask_of(number)) != 0;
  }
  void set_bit(int number) {
    auto& byte = bytes[byte_of(number)];
    byte = static_cast<std::uint8_t>(byte | mask_of(number));
  }
  /// Whether it is an IPv4 address in the form of an IPv6 one: "::ffff:10.0.0.1".
  [[nodiscard]] bool is_mapped() const {
    constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    return family == Family::kIPv6 && std::equal(kMapped.begin(), kMapped.end(), bytes.begin());
  }

  friend bool operator==(const Address&, const Address&) = default;

 private:
  static constexpr int kByteBits = 8;
  [[nodiscard]] static std::size_t byte_of(int bit) {
    return static_cast<std::size_t>(bit / kByteBits);
  }
  [[nodiscard]] static unsigned mask_of(int bit) {
    return 0x80U >> static_cast<unsigned>(bit % kByteBits);
  }
  [[nodiscard]] int protocol() const { return family == Family::kIPv4 ? AF_INET : AF_INET6; }
};

/// A range of addresses: those that begin with its first `length` bits.
class Prefix {
 public:
  /// The addresses that have the first `length` bits of `address`. `length` is from 0 to bits_of().
  Prefix(const Address& address, int length) : first_(address), last_(address), length_(length) {
    constexpr int kByteBits = 8;
    for (int i = 0; i < bits_of(address.family) / kByteBits; ++i) {
      const int fixed = std::clamp(length - i * kByteBits, 0, kByteBits);
      const auto rest = static_cast<std::uint8_t>(0xffU >> static_cast<unsigned>(fixed));
      auto& low = first_.bytes[static_cast<std::size_t>(i)];
      auto& high = last_.bytes[static_cast<std::size_t>(i)];
      low = static_cast<std::uint8_t>(low & ~rest);
      high = static_cast<std::uint8_t>(high | rest);
    }
  }

  /// Nothing if `text` is no CIDR. Bits beyond the length are dropped.
  [[nodiscard]] static std::optional<Prefix> parse(std::string_view text) {
    const std::size_t slash = text.rfind('/');
    if (slash == text.npos) return std::nullopt;
    const std::optional<Address> address = Address::parse(text.substr(0, slash));
    if (!address) return std::nullopt;
    const std::optional<int> length = parse_length(text.substr(slash + 1), address->family);
    if (!length) return std::nullopt;
    return Prefix(*address, *length);
  }

  [[nodiscard]] Family family() const { return first_.family; }
  /// The number of bits that its addresses share.
  [[nodiscard]] int length() const { return length_; }
  [[nodiscard]] const Address& first() const { return first_; }
  [[nodiscard]] const Address& last() const { return last_; }
  /// The canonical form: "10.244.0.0/24".
  [[nodiscard]] std::string text() const { return first_.text() + '/' + std::to_string(length_); }

  [[nodiscard]] bool contains(const Address& address) const {
    return address.family == first_.family && first_.bytes <= address.bytes &&
           address.bytes <= last_.bytes;
  }
  [[nodiscard]] bool overlaps(const Prefix& other) const {
    return contains(other.first_) || other.contains(first_);
  }
  /// Whether every address of `other` is in it, also if both are equal.
  [[nodiscard]] bool covers(const Prefix& other) const {
    return length_ <= other.length_ && contains(other.first_);
  }
  /// Whether a Service may have `address` from it: not the network's address, nor the broadcast
  /// address of IPv4.
  [[nodiscard]] bool assigns(const Address& address) const {
    if (!contains(address) || address == first_) return false;
    return family() == Family::kIPv6 || address != last_;
  }

  friend bool operator==(const Prefix&, const Prefix&) = default;

 private:
  /// The length after the slash: decimal, without sign and leading zeros.
  [[nodiscard]] static std::optional<int> parse_length(std::string_view text, Family family) {
    if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
    int value = 0;
    const char* const end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || last != end || value < 0 || value > bits_of(family)) {
      return std::nullopt;
    }
    return value;
  }

  Address first_;
  Address last_;
  int length_;
};

}  // namespace davit::ip
