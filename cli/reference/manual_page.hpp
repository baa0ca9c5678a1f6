/// Manual pages in troff's man macros.
#pragma once

#include <string>
#include <string_view>

#include "cli/reference/command_text.hpp"

namespace davit::host {

/// The page of section 1 of one command; `parent` is the command around it, null for the program.
[[nodiscard]] std::string manual_page(const CommandText& command, const CommandText* parent,
                                      std::string_view version);

}  // namespace davit::host
