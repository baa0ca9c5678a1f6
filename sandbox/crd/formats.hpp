/// The string formats of schemas.
#pragma once

#include <string_view>

namespace davit::sandbox {

/// Whether `text` has this format. Unknown formats hold for every text.
[[nodiscard]] bool has_format(std::string_view format, std::string_view text);

}  // namespace davit::sandbox
