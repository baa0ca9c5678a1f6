/// Hexadecimal text. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace davit {

/// The letters of the digits above 9.
enum class HexCase : std::uint8_t { kLower, kUpper };

/// The digits from 0 to 15.
[[nodiscard]] constexpr std::string_view hex_digits(HexCase letters = HexCase::kLower) {
  return letters == HexCase::kLower ? "0123456789abcdef" : "0123456789ABCDEF";
}

/// Appends the two digits of a byte.
inline void append_hex(std::string& out, unsigned char byte, HexCase letters = HexCase::kLower) {
  out.push_back(hex_digits(letters)[byte >> 4U]);
  out.push_back(hex_digits(letters)[byte & 0xfU]);
}

/// Two digits for each byte.
[[nodiscard]] inline std::string hex_text(std::span<const unsigned char> bytes) {
  std::string out;
  out.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) append_hex(out, byte);
  return out;
}

/// The same for bytes in a text.
[[nodiscard]] inline std::string hex_text(std::string_view bytes) {
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char byte : bytes) append_hex(out, static_cast<unsigned char>(byte));
  return out;
}

/// The last `digits` digits of a number, zeros included.
[[nodiscard]] inline std::string hex_number(std::uint64_t number, std::size_t digits,
                                            HexCase letters = HexCase::kLower) {
  std::string out(digits, '0');
  for (std::size_t i = digits; i-- > 0; number >>= 4U) out[i] = hex_digits(letters)[number & 0xfU];
  return out;
}

/// Whether `text` consists of lower-case digits, as digests are written; "" does.
[[nodiscard]] constexpr bool is_lower_hex(std::string_view text) {
  return text.find_first_not_of(hex_digits()) == text.npos;
}

/// Whether `text` consists of digits in any case; "" does.
[[nodiscard]] constexpr bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

}  // namespace davit
