/// Reads whole text files.
#pragma once

#include <davit/result.hpp>
#include <string>

namespace davit {

/// The rest of an open file; kInvalid if it cannot be read or is larger than 8 MiB.
[[nodiscard]] Result<std::string> read_text_file(int file);
/// The whole file; kNotFound if it is missing, kInvalid if it cannot be read or is larger than 8
/// MiB. The message does not name the file.
[[nodiscard]] Result<std::string> read_text_file(const std::string& path);

}  // namespace davit
