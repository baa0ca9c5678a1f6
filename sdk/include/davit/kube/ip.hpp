/// IP addresses and prefixes, as netip.ParseAddr and netip.ParsePrefix read them, and as
/// netip.Addr prints them. Pure.
#pragma once

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

/// The reverse of family_name().
[[nodiscard]] constexpr std::optional<Family> family_of(std::string_view name) {
  if (name == "IPv4") return Family::kIPv4;
  return name == "IPv6" ? std::optional(Family::kIPv6) : std::nullopt;
}

/// The number of bits of an address.
[[nodiscard]] constexpr int bits_of(Family family) { return family == Family::kIPv4 ? 32 : 128; }

/// Leading zeros of an octet: refused, as netip.ParseAddr does, or skipped, as fields of older APIs
/// allow them (k8s.io/utils/net.ParseIPSloppy).
enum class Zeros : std::uint8_t { kRefused, kSkipped };

/// One address.
struct Address {
  Family family = Family::kIPv4;
  std::array<std::uint8_t, 16> bytes{};  ///< In network order; IPv4 has the first four.

  /// Nothing if `text` is not an address. Zones are refused.
  [[nodiscard]] static std::optional<Address> parse(std::string_view text,
                                                    Zeros zeros = Zeros::kRefused) {
    Address out;
    out.family = text.find(':') == text.npos ? Family::kIPv4 : Family::kIPv6;
    const bool is_read = out.family == Family::kIPv4 ? read_octets(text, zeros, out.bytes.data())
                                                     : read_words(text, zeros, out.bytes);
    return is_read ? std::optional(out) : std::nullopt;
  }
  /// The IPv4 address with this number: 0x0a000001 is 10.0.0.1.
  [[nodiscard]] static Address of_number(std::uint32_t number) {
    Address out;
    for (std::size_t i = 0; i < 4; ++i) {
      out.bytes[i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
    }
    return out;
  }

  /// The number of an IPv4 address; that of the first four bytes of an IPv6 one.
  [[nodiscard]] std::uint32_t number() const {
    return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U |
           std::uint32_t{bytes[2]} << 8U | std::uint32_t{bytes[3]};
  }

  /// The canonical form (RFC 5952), as netip.Addr prints it.
  [[nodiscard]] std::string text() const {
    if (family == Family::kIPv4) return octets_text(bytes.data());
    if (is_mapped()) return "::ffff:" + octets_text(bytes.data() + kMappedBytes);
    return words_text();
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
    constexpr std::array<std::uint8_t, kMappedBytes> kMapped = {0, 0, 0, 0, 0,    0,
                                                                0, 0, 0, 0, 0xff, 0xff};
    return family == Family::kIPv6 && std::equal(kMapped.begin(), kMapped.end(), bytes.begin());
  }
  /// The IPv4 address that a mapped one stands for, as net.IP has it; else this one.
  [[nodiscard]] Address unmapped() const {
    if (!is_mapped()) return *this;
    Address out;
    std::copy(bytes.begin() + kMappedBytes, bytes.end(), out.bytes.begin());
    return out;
  }

  // The kinds of netip.Addr, where a mapped address belongs to none of the IPv4 ones.
  [[nodiscard]] bool is_unspecified() const { return *this == Address{family, {}}; }
  [[nodiscard]] bool is_loopback() const {
    if (family == Family::kIPv4) return bytes[0] == 127;
    return *this == Address{family, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
  }
  [[nodiscard]] bool is_multicast() const {
    return family == Family::kIPv4 ? (bytes[0] & 0xf0U) == 0xe0 : bytes[0] == 0xff;
  }
  [[nodiscard]] bool is_link_local_multicast() const {
    if (family == Family::kIPv6) return bytes[0] == 0xff && (bytes[1] & 0x0fU) == 0x02;
    return bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0;
  }
  [[nodiscard]] bool is_link_local_unicast() const {
    if (family == Family::kIPv6) return bytes[0] == 0xfe && (bytes[1] & 0xc0U) == 0x80;
    return bytes[0] == 169 && bytes[1] == 254;
  }

  friend bool operator==(const Address&, const Address&) = default;

 private:
  static constexpr std::size_t kMappedBytes = 12;
  static constexpr std::size_t kWords = 8;
  static constexpr int kByteBits = 8;

  [[nodiscard]] static std::size_t byte_of(int bit) {
    return static_cast<std::size_t>(bit / kByteBits);
  }
  [[nodiscard]] static unsigned mask_of(int bit) {
    return 0x80U >> static_cast<unsigned>(bit % kByteBits);
  }

  /// Reads all of `text` into the four bytes at `out`; false if it is malformed.
  [[nodiscard]] static bool read_octets(std::string_view text, Zeros zeros, std::uint8_t* out) {
    for (int i = 0; i < 4; ++i) {
      if (i > 0) {
        if (!text.starts_with('.')) return false;
        text.remove_prefix(1);
      }
      const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
      std::string_view number = text.substr(0, digits);
      text.remove_prefix(digits);
      if (digits == 0 || (digits > 1 && number[0] == '0' && zeros == Zeros::kRefused)) return false;
      number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
      if (number.size() > 3) return false;
      unsigned value = 0;
      for (const char digit : number) value = value * 10 + static_cast<unsigned>(digit - '0');
      if (value > 0xff) return false;
      out[i] = static_cast<std::uint8_t>(value);
    }
    return text.empty();
  }

  /// Whether an IPv4 address may stand for the last two words.
  enum class Ending : std::uint8_t { kWord, kOctets };

  /// Reads the words on one side of "::", or of a whole address; returns the bytes that it wrote.
  [[nodiscard]] static std::optional<std::size_t> read_side(std::string_view text, Zeros zeros,
                                                            Ending ending,
                                                            std::array<std::uint8_t, 16>& out) {
    std::size_t size = 0;
    if (text.empty()) return size;
    while (true) {
      const std::size_t colon = text.find(':');
      const std::string_view word = text.substr(0, colon);
      if (word.find('.') != word.npos) {
        const bool fits = ending == Ending::kOctets && colon == text.npos && size + 4 <= out.size();
        if (!fits || !read_octets(word, zeros, out.data() + size)) return std::nullopt;
        return size + 4;
      }
      std::uint16_t value = 0;
      const char* const end = word.data() + word.size();
      const auto [last, error] = std::from_chars(word.data(), end, value, 16);
      const bool is_word = error == std::errc() && last == end && word.size() <= 4;
      if (!is_word || size == out.size()) return std::nullopt;
      out[size++] = static_cast<std::uint8_t>(value >> 8U);
      out[size++] = static_cast<std::uint8_t>(value & 0xffU);
      if (colon == text.npos) return size;
      text.remove_prefix(colon + 1);
    }
  }

  [[nodiscard]] static bool read_words(std::string_view text, Zeros zeros,
                                       std::array<std::uint8_t, 16>& out) {
    const std::size_t gap = text.find("::");
    if (gap == text.npos) return read_side(text, zeros, Ending::kOctets, out) == out.size();
    std::array<std::uint8_t, 16> tail{};
    const auto head_size = read_side(text.substr(0, gap), zeros, Ending::kWord, out);
    const auto tail_size = read_side(text.substr(gap + 2), zeros, Ending::kOctets, tail);
    // The gap stands for a word at least.
    if (!head_size || !tail_size || *head_size + *tail_size + 2 > out.size()) return false;
    std::copy_n(tail.begin(), *tail_size, out.end() - static_cast<std::ptrdiff_t>(*tail_size));
    return true;
  }

  [[nodiscard]] static std::string octets_text(const std::uint8_t* octets) {
    std::string out;
    for (int i = 0; i < 4; ++i) {
      if (i > 0) out += '.';
      out += std::to_string(octets[i]);
    }
    return out;
  }

  /// The longest run of zeros, of two words at least and the first of several, becomes "::".
  [[nodiscard]] std::string words_text() const {
    const auto word = [this](std::size_t i) -> unsigned {
      return static_cast<unsigned>(bytes[2 * i]) << 8U | bytes[2 * i + 1];
    };
    std::size_t first = kWords;
    std::size_t length = 1;
    for (std::size_t i = 0; i < kWords; ++i) {
      std::size_t end = i;
      while (end < kWords && word(end) == 0) ++end;
      if (end - i > length) {
        first = i;
        length = end - i;
      }
    }
    std::string out;
    for (std::size_t i = 0; i < kWords; ++i) {
      if (i == first) {
        out += "::";
        i += length - 1;
        continue;
      }
      if (!out.empty() && out.back() != ':') out += ':';
      std::array<char, 4> digits{};
      const auto [end, error] =
          std::to_chars(digits.data(), digits.data() + digits.size(), word(i), 16);
      static_cast<void>(error);  // Four digits hold every word.
      out.append(digits.data(), end);
    }
    return out;
  }
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
