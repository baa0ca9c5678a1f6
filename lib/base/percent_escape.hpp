/// Percent-escapes of URLs and header keys (RFC 3986, section 2.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace davit {

/// `text` with each byte other than ASCII letters, digits and `also_plain` as "%XX".
[[nodiscard]] std::string percent_escaped(std::string_view text, std::string_view also_plain);

/// The meaning of '+': itself in a path, a blank in a form.
enum class Plus : bool { kLiteral, kBlank };

/// The text that `text` stands for; nothing if a '%' lacks two hexadecimal digits.
[[nodiscard]] std::optional<std::string> percent_unescaped(std::string_view text,
                                                           Plus plus = Plus::kLiteral);

}  // namespace davit
