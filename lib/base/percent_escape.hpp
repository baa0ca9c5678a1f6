/// Percent-escapes of URLs and header keys (RFC 3986, section 2.1).
#pragma once

#include <string>
#include <string_view>

namespace davit {

/// `text` with each byte other than ASCII letters, digits and `also_plain` as "%XX".
[[nodiscard]] std::string percent_escaped(std::string_view text, std::string_view also_plain);

}  // namespace davit
