/// The text that an HTTP header can carry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace davit {

/// The most bytes of a header's name and value together that davit sends: with them a request still
/// fits into the 64 KiB that davit's own servers read of a head. Tokens have a few KiB.
inline constexpr std::size_t kHeaderBytesMax = std::size_t{60} << 10U;

/// Whether `text` can be the value of a header (RFC 9110, field-content;
/// golang.org/x/net/http/httpguts has the same rule). A line feed in it would begin another header.
[[nodiscard]] inline bool is_header_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

/// Why a header cannot carry `text`, as the end of a sentence about it; "" if it can. Never shows
/// the text, which may be a secret. `name_bytes` is the length of what else the header holds.
[[nodiscard]] inline std::string header_fault(std::string_view text, std::size_t name_bytes = 0) {
  if (!is_header_value(text)) return "has control characters, which a header cannot carry";
  if (text.size() + name_bytes <= kHeaderBytesMax) return {};
  return "has " + std::to_string(text.size()) + " bytes: a header can carry " +
         std::to_string(kHeaderBytesMax - std::min(name_bytes, kHeaderBytesMax));
}

}  // namespace davit
