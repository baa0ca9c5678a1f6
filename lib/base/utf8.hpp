/// UTF-8, as RFC 3629 defines it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace davit {

/// Length of the valid sequence that `text` begins with, or 0.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// Whether `text` consists of valid sequences; "" does.
[[nodiscard]] bool is_utf8(std::string_view text);

/// The beginning of `text`, at most `bytes_max` long, which does not end within a letter.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max);

/// `text`; if it is longer than `bytes_max`, its utf8_prefix() and "…".
[[nodiscard]] std::string utf8_shortened(std::string_view text, std::size_t bytes_max);

/// Appends a code point, which must not be a surrogate.
void append_utf8(std::uint32_t code_point, std::string& out);

}  // namespace davit
