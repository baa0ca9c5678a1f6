/// JSON text written by hand, for the few small bodies that the host makes itself.
#pragma once

#include <string>
#include <string_view>

namespace davit::host {

/// Appends `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, so that
/// the result is valid.
void append_json_string(std::string& out, std::string_view text);

/// `text` as a JSON string with its quotes.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace davit::host
