/// docs/FLAGS.md, made from the table of flags.
#pragma once

#include <string>

namespace davit::host {

/// The page in Markdown.
[[nodiscard]] std::string flags_page();

}  // namespace davit::host
