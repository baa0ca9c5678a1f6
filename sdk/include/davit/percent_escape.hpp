/// Text in URLs.
#pragma once

#include <string>
#include <string_view>

namespace davit {

/// `text` as a part of a path or query: everything but letters, digits and "-._~" as %XX.
[[nodiscard]] std::string percent_escaped(std::string_view text);

}  // namespace davit
