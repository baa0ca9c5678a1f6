/// Texts for a shell's command line.
#pragma once

#include <string>
#include <string_view>

namespace davit {

/// `text` between apostrophes, as one word of a POSIX shell.
[[nodiscard]] std::string shell_quoted(std::string_view text);

}  // namespace davit
