/// Base64 (RFC 4648), as Go's encoding/base64 reads and writes it. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace davit {

namespace detail {

inline constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
inline constexpr std::string_view kBase64UrlDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

enum class Base64Padding : bool { kNone, kRequired };

inline std::string base64_text(std::string_view bytes, std::string_view alphabet,
                               Base64Padding padding) {
  constexpr std::size_t kGroupBytes = 3;
  std::string out;
  out.reserve((bytes.size() + kGroupBytes - 1) / kGroupBytes * 4);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kGroupBytes))) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < kGroupBytes; ++i) {
      group = group << 8U | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      if (i <= bytes.size()) {
        out += alphabet[group >> (18 - 6 * i) & 63U];
      } else if (padding == Base64Padding::kRequired) {
        out += '=';
      }
    }
  }
  return out;
}

/// The value of each digit; -1 for other bytes.
constexpr std::array<std::int8_t, 256> base64_values(std::string_view alphabet) {
  std::array<std::int8_t, 256> out{};
  out.fill(-1);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    out[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
  }
  return out;
}

/// Bits behind the last byte are ignored, as Go does.
inline std::optional<std::string> base64_bytes(std::string_view text,
                                               const std::array<std::int8_t, 256>& values,
                                               Base64Padding padding) {
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t group = 0;
  std::size_t digits = 0;
  std::size_t pads = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    const int value = values[static_cast<unsigned char>(c)];
    if (c == '=' && padding == Base64Padding::kRequired) {
      ++pads;
      continue;
    }
    if (value < 0 || pads != 0) return std::nullopt;
    group = group << 6U | static_cast<std::uint32_t>(value);
    // The second, third and fourth digit of four complete a byte each.
    const std::size_t place = digits++ % 4;
    if (place != 0) out += static_cast<char>(group >> (6 - 2 * place) & 0xffU);
  }
  const std::size_t last = digits % 4;  // In the last group, if it is not full.
  const std::size_t wanted = padding == Base64Padding::kRequired && last != 0 ? 4 - last : 0;
  return last == 1 || pads != wanted ? std::nullopt : std::optional(std::move(out));
}

}  // namespace detail

/// With padding, as in the data of Secrets.
[[nodiscard]] inline std::string encode_base64(std::string_view bytes) {
  return detail::base64_text(bytes, detail::kBase64Digits, detail::Base64Padding::kRequired);
}
/// For URLs and tokens, without padding (section 5).
[[nodiscard]] inline std::string encode_base64_url(std::string_view bytes) {
  return detail::base64_text(bytes, detail::kBase64UrlDigits, detail::Base64Padding::kNone);
}

/// The bytes of a text with padding; nothing if it is malformed. Line breaks are skipped.
[[nodiscard]] inline std::optional<std::string> decode_base64(std::string_view text) {
  static constexpr std::array<std::int8_t, 256> kValues =
      detail::base64_values(detail::kBase64Digits);
  return detail::base64_bytes(text, kValues, detail::Base64Padding::kRequired);
}
/// The bytes of a text of encode_base64_url(); nothing if it is malformed.
[[nodiscard]] inline std::optional<std::string> decode_base64_url(std::string_view text) {
  static constexpr std::array<std::int8_t, 256> kValues =
      detail::base64_values(detail::kBase64UrlDigits);
  return detail::base64_bytes(text, kValues, detail::Base64Padding::kNone);
}

}  // namespace davit
