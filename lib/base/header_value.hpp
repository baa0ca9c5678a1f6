/// The characters of an HTTP header's value.
#pragma once

#include <algorithm>
#include <string_view>

namespace davit {

/// Whether `text` can be the value of a header (RFC 9110, field-content;
/// golang.org/x/net/http/httpguts has the same rule). A line feed in it would begin a header of its
/// own.
[[nodiscard]] inline bool is_header_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

}  // namespace davit
