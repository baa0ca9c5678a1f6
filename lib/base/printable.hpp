/// Foreign text on its way to a terminal.
#pragma once

#include <string>
#include <string_view>

namespace davit {

/// `text` with control characters (C0, DEL and C1) and bytes that are not UTF-8 as \xNN: a terminal
/// would obey some of them. Text without any is returned as it is.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace davit
