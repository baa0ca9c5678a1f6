/// Whether the dynamic loader can read a library: it believes what a file says about itself, and a
/// wrong address, size or index ends the process that opens it.
#pragma once

#include <davit/result.hpp>
#include <string_view>

namespace davit::host {

/// Judges the header, the segments, the dynamic section, and the tables that it names as ld.so
/// reads them, by address: each lies within a segment, strings end, chains end, and symbols,
/// versions and relocations stay in their tables. If the file has section headers, they must agree.
/// `image` is a whole file for this machine that read_elf() can read. kInvalid: one line that does
/// not name the file.
[[nodiscard]] Status check_layout(std::string_view image);

}  // namespace davit::host
